# The account that acts here, for the prompt of fish: copy it to ~/.config/fish/functions/
# as acct_prompt.fish, and call `acct_prompt` in fish_prompt.
# `alice ` if all is well, `alice! ` if a request would fail, nothing if there is no account.

function acct_prompt
    # As in prompt.sh: it asks no question, and a keyring that hangs can't hold the prompt.
    set -q ACCT_PROMPT_SECONDS; or set -l ACCT_PROMPT_SECONDS 0.3
    set -l json (timeout $ACCT_PROMPT_SECONDS acct status --json --no-input 2>/dev/null)
    set -l mark
    test $pipestatus[1] -eq 0; or set mark '!'
    set -l name (string match --regex --groups-only '"name":"([^"]*)"' -- "$json")[1]
    test -n "$name"; and printf '%s%s ' $name $mark
end
