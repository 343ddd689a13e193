# bash completion for acct(1). Written by completions/generate from completions/bash.engine; `make completions` writes it anew.

# What may follow a command; an option that takes a value is written with its kind.
_acct_grammar() {
  commands=() options=() arguments=()
  case $1 in
    '')
      commands=(add login list switch status header token log metrics request proxy observe limits refresh rotate remove rename allow key export exec helper providers vault keyring doctor help)
      options=(--json --no-color --no-input --timeout= --version -a=account --account=account -h --help -q --quiet -v --verbose)
      ;;
    'add')
      options=(--import=file --passphrase-file=file --issuer= --backend= --session= --guest= --token=file --header= --scheme= --basic= --query= --expires= '--from==gh glab git netrc docker cargo oidc-agent env list' --dry-run --rewrite --undo --yes --client-id= --scope= --resource= --device --no-browser --browser= --redirect-port= --callback= --wait= --send= --client-secret-file=file '--client-auth==none basic post private-key tls assertion-file' --client-key=file '--grant==client-credentials jwt-bearer token-exchange' --subject-token-file=file --subject-token-command= --subject-account=account --subject-type= --requested-type= --audience= --client-assertion-file=file --assertion-file=file --authorize-url= --token-url= --device-url= --revoke-url= --userinfo-url= --param= --token-param= --redirect-uri= --register --no-dpop --cert=file --cert-key=file --key= --pin --name= --no-switch --replace --allow-origin= -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('provider')
      ;;
    'login')
      options=(--scope= --device --no-browser --browser= --wait= --param= --client-id= --register --client-secret-file=file --client-key=file --cert=file --cert-key=file --no-dpop --token=file --key= --pin --end-former -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account')
      ;;
    'list')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'switch')
      options=(--here --add -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account*')
      ;;
    'status')
      options=(--check -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account')
      ;;
    'header')
      options=('--format==lines curl json map' --min-valid= --offline --bearer --audience= --scope= --credentials=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('request*')
      ;;
    'token')
      options=(--min-valid= --offline --id '--sasl==xoauth2 oauthbearer' --user= --audience= --scope= --credentials=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('url')
      ;;
    'log')
      options=(--since= --used -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account')
      ;;
    'metrics')
      options=(--anonymous -o=file --output=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'request')
      options=(-H= --header= -d= --data= -i --include -L --follow -o=file --output=file --retry= --audience= --scope= --credentials=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('request*')
      ;;
    'proxy')
      options=(--socket=file --port= --all --to= --credentials=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'observe')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('url')
      ;;
    'limits')
      options=(--all --check --watch -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account')
      ;;
    'refresh')
      options=(--all --force -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account')
      ;;
    'rotate')
      options=(--all --token=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account*')
      ;;
    'remove')
      options=(--all --local --yes -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account*')
      ;;
    'rename')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account' '')
      ;;
    'allow')
      options=(--revoke -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account' 'origin')
      ;;
    'key')
      commands=(show thumbprint import list)
      options=(--version -h --help)
      ;;
    'key show')
      options=(--private -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account')
      ;;
    'key thumbprint')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account')
      ;;
    'key import')
      options=(--file=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account')
      ;;
    'key list')
      options=(--hardware -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('')
      ;;
    'export')
      options=(--all -o=file --output=file --force --passphrase-file=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('account*')
      ;;
    'exec')
      options=(--for= --env= --env-file=file --id-token-file= --token-file= --min-valid= --offline --credentials=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('command*')
      ;;
    'helper')
      commands=(setup git docker kubectl bazel go cargo keyring google terraform aws)
      options=(--audience= --scope= --credentials=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'helper setup')
      options=(--host= --role-arn= --profile= --undo --dry-run --yes -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= -h --help)
      arguments=('=git docker kubectl cargo go pip terraform aws')
      ;;
    'providers')
      options=(--keys -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('provider')
      ;;
    'vault')
      commands=(unlock lock passphrase seal unseal reset)
      options=(--version -h --help)
      ;;
    'vault unlock')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'vault lock')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'vault passphrase')
      options=(--new-passphrase-file=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'vault seal')
      options=(--tpm=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'vault unseal')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'vault reset')
      options=(--yes -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'keyring')
      commands=(status unlock lock create join approve machines remove rekey move leave trust)
      options=(--version -h --help)
      ;;
    'keyring status')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'keyring unlock')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'keyring lock')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'keyring create')
      options=(--name= --cert=file --key=file --ca=file --user= --password-file=file -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('' '*')
      ;;
    'keyring join')
      options=(--name= --cert=file --key=file --ca=file --user= --password-file=file --code --machine-key= -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('' '*')
      ;;
    'keyring approve')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('')
      ;;
    'keyring machines')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'keyring remove')
      options=(--renew --drop-shared --new-passphrase-file=file --new-key-file=file --keep= --drop= -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('')
      ;;
    'keyring rekey')
      options=(--new-passphrase-file=file --new-key-file=file --keep= --drop= -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'keyring move')
      options=(--remove -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      arguments=('')
      ;;
    'keyring leave')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'keyring trust')
      options=(-a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'doctor')
      options=(--repair --offline --report -a=account --account=account --json -q --quiet -v --verbose --no-input --no-color --timeout= --version -h --help)
      ;;
    'help')
      commands=(add login list switch status header token log metrics request proxy observe limits refresh rotate remove rename allow key export exec helper providers vault keyring doctor help)
      ;;
    'help key')
      commands=(show thumbprint import list)
      ;;
    'help helper')
      commands=(setup)
      ;;
    'help vault')
      commands=(unlock lock passphrase seal unseal reset)
      ;;
    'help keyring')
      commands=(status unlock lock create join approve machines remove rekey move leave trust)
      ;;
    *) return 1 ;;
  esac
}

# What is typed is never evaluated, and neither is what `acct` answers: an account may be called
# `$(reboot)`. So nothing here goes through `eval` or `compgen -W`, which expands its words.

# Completes a command line of acct (bash 4 or later; with or without bash-completion).
_acct() {
  local cur typed unquoted words=() starts=() commands=() options=() arguments=()
  local path='' account='' kind='' ended='' first='' count=0 offset=0 before='' index word option
  COMPREPLY=()
  _acct_words
  _acct_grammar ''

  for ((index = 1; index < ${#words[@]}; index++)); do
    word=${words[index]}
    if [[ $kind ]]; then
      # The value of the option before it.
      [[ $option == -a || $option == --account ]] && account=$word
      kind=''
    elif [[ $word == -- && ! $ended ]]; then
      ended=yes
    elif [[ $word == --account=* && ! $ended ]]; then
      account=${word#*=}
    elif [[ $word == -?* && ! $ended ]]; then
      option=$word
      _acct_takes "$word" && kind=${kind:-nothing}
    elif ((${#commands[@]})); then
      path=${path:+$path }$word
      _acct_grammar "$path" || return
    else
      ((count++)) || first=$word
      # The rest is another program's command line.
      [[ ${arguments[count - 1]} == command* ]] && offset=${starts[index]} && break
    fi
  done

  if [[ ! $kind ]]; then
    if [[ $cur == --*=* && ! $ended ]]; then
      before=${cur%%=*}=
      _acct_takes "${cur%%=*}" || return
      cur=${cur#*=}
    elif [[ $cur == -* && ! $ended ]]; then
      _acct_offer "${options[@]%%=*}"
      return
    elif ((${#commands[@]})); then
      _acct_offer "${commands[@]}"
      return
    else
      kind=${arguments[count]}
      # Only the last argument repeats.
      if ((count >= ${#arguments[@]} && ${#arguments[@]})) && [[ ${arguments[-1]} == *\* ]]; then
        kind=${arguments[-1]}
      fi
    fi
  fi
  _acct_values "${kind%\*}"
}

# Offers the values of one kind.
_acct_values() {
  local found=()
  case $1 in
    =*)
      read -ra found <<<"${1#=}"
      ;;
    account)
      mapfile -t found < <("${words[0]}" complete accounts 2>/dev/null </dev/null)
      found=("${found[@]%%$'\t'*}")
      ;;
    provider)
      mapfile -t found < <("${words[0]}" complete providers 2>/dev/null </dev/null)
      found=("${found[@]%%$'\t'*}")
      ;;
    origin | url | request)
      # `allow` names the account before the origin.
      [[ $path == allow ]] && account=$first
      mapfile -t found < <(
        "${words[0]}" complete origins ${account:+"--account=$account"} 2>/dev/null </dev/null
      )
      # A path follows an origin, a URL follows a method.
      [[ $1 != origin ]] && found=("${found[@]/%//}")
      if [[ $1 == request ]] && ((!count)); then
        found+=(GET HEAD POST PUT PATCH DELETE OPTIONS)
      fi
      [[ $1 == url || $1 == request && ($cur == http* || $count -gt 0) ]] &&
        compopt -o nospace 2>/dev/null
      ;;
    file)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return
      ;;
    command)
      if [[ ! $ended ]]; then
        found=(--)
      elif ((offset)) && declare -F _command_offset >/dev/null; then
        # bash-completion knows how that command is completed.
        _command_offset "$offset"
        return
      elif ((offset)); then
        _acct_values file
        return
      else
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
        return
      fi
      ;;
  esac
  _acct_offer "${found[@]}"
}

# Whether an option takes a value; puts what that is into `kind`.
_acct_takes() {
  local each
  for each in "${options[@]}"; do
    [[ $each == "$1"=* ]] || continue
    kind=${each#*=}
    return 0
  done
  return 1
}

# Fills `words`, with the quotes taken off and up to the cursor, and `cur`, the word at the cursor.
#
# Readline breaks words at : and = and @, so that a URL comes in pieces; what stands together on
# the line is put together again.
_acct_words() {
  local line=${COMP_LINE:0:COMP_POINT} piece raw=() index
  for ((index = 0; index <= COMP_CWORD; index++)); do
    piece=${COMP_WORDS[index]}
    if [[ $line == [[:space:]]* || index -eq 0 ]]; then
      line=${line#"${line%%[![:space:]]*}"}
      raw+=('')
      starts+=("$index")
    fi
    # The cursor may stand inside a word.
    [[ $line == "$piece"* ]] || piece=$line
    raw[${#raw[@]} - 1]+=$piece
    line=${line#"$piece"}
  done
  typed=${raw[${#raw[@]} - 1]}
  for ((index = 0; index < ${#raw[@]}; index++)); do
    _acct_unquote "${raw[index]}"
    words+=("$unquoted")
  done
  cur=$unquoted
  unset "words[${#words[@]}-1]"
}

# Takes the quotes and backslashes off a word, into `unquoted`; expands nothing.
_acct_unquote() {
  local rest=$1 mark=''
  unquoted=''
  while [[ $rest ]]; do
    case $mark${rest:0:1} in
      \' | \") mark=${rest:0:1} ;;
      "''" | '""') mark='' ;;
      \\ | '"\') rest=${rest:1} && unquoted+=${rest:0:1} ;;
      *) unquoted+=${rest:0:1} ;;
    esac
    rest=${rest:1}
  done
}

# Offers the words that go on from what is typed, quoted as it is.
_acct_offer() {
  local each index char quoted breaks
  local mark=${typed:0:1}
  [[ $mark == [\'\"] ]] || mark=''
  # Readline replaces only what stands after the last break, unless a quote was opened.
  breaks=${typed//[^:=@]/}
  for char in : = @; do [[ $COMP_WORDBREAKS == *"$char"* ]] || breaks=${breaks//"$char"/}; done
  [[ $mark ]] && breaks=''
  for each; do
    [[ $each == "$cur"* ]] || continue
    each=$before$each quoted=''
    for ((index = 0; index < ${#each}; index++)); do
      char=${each:index:1}
      case $mark$char in
        [[:alnum:]_./:=@%+,-] | [!\ -~]) quoted+=$char ;;
        [\'\"]["'"]) [[ $mark == \' ]] && quoted+="'\\''" || quoted+=$char ;;
        \"[\$\`\"\\]) quoted+=\\$char ;;
        [\'\"]?) quoted+=$char ;;
        *) quoted+=\\$char ;;
      esac
    done
    for ((index = 0; index < ${#breaks}; index++)); do quoted=${quoted#*"${breaks:index:1}"}; done
    # It takes an @ for the beginning of the word, the others for the end of the word before.
    [[ $breaks == *@ ]] && quoted=@$quoted
    COMPREPLY+=("$quoted")
  done
}

complete -F _acct acct
