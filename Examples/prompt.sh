# The account that acts here, for the prompt of bash and zsh:
#   . /path/to/prompt.sh
#   PS1='$(acct_prompt)'$PS1                        # bash
#   setopt PROMPT_SUBST; PS1='$(acct_prompt)'$PS1   # zsh
# `alice ` if all is well, `alice! ` if a request would fail, nothing if there is no account.
# shellcheck shell=sh

acct_prompt() {
  # The status says more than a cached name: which account a folder's .acct or the environment
  # chooses, and whether it works. It asks no question, and a keyring that hangs can't hold the prompt.
  _acct_status=0
  _acct_json=$(timeout "${ACCT_PROMPT_SECONDS:-0.3}" acct status --json --no-input 2>/dev/null) || _acct_status=$?
  case $_acct_json in *'"name":"'*) ;; *) return 0 ;; esac
  _acct_name=${_acct_json#*\"name\":\"}
  _acct_name=${_acct_name%%\"*}
  # zsh reads % in what it has substituted as its own.
  if [ -n "${ZSH_VERSION-}" ]; then _acct_name=$(printf %s "$_acct_name" | sed 's/%/%%/g'); fi
  [ "$_acct_status" = 0 ] || _acct_name="$_acct_name!"
  printf '%s ' "$_acct_name"
}
