include "grammar";
def escaped: gsub("(?<c>[\\\\:\\[\\]])"; "\\\(.c)");
def action:
  if . == "" then " " elif startswith("=") then "(\(.[1:]))" elif . == "file" then "_files"
  elif . == "command" then "_acct_command" else "_acct_\(.)s" end;
def option:
  "[\(.about | brief | escaped)]\(if .kind == null then "" else ":\(.label | escaped):\(.kind | action)" end)" as $tail
  | (.kind != null) as $takes
  # A value may stand in the same word: -aNAME, --account=NAME.
  | [.names[] | if $takes | not then . elif startswith("--") then "\(.)=" else "\(.)+" end] as $names
  | if .repeats then [$names[] | "*\(.)\($tail)" | quoted] | join(" ")
    elif (.names | length) == 1 then $names[0] + $tail | quoted
    else (.names | "(\(join(" ")))" | quoted) + "{\($names | join(","))}" + ($tail | quoted) end;
def argument($index):
  (if .kind == "command" then "(-)*::" elif .repeats then "*:" else "\($index + 1):" end)
  + "\(.label | escaped):\(.kind | action)" | quoted;
"# What may follow a command, as specs of _arguments.
_acct_grammar() {
  commands=() specs=()
  case $1 in",
(grammar($values[0])[]
| "    \(.path | quoted))"
  + (if .commands == [] then "" else "\n      commands=(\([.commands[] | "\n        " + ("\(.name):\(.about | brief)" | quoted)] | join(""))\n      )" end)
  + (if .options + .arguments == [] then "" else "\n      specs=(\([
    (.options[] | "\n        " + option),
    (.arguments | to_entries[] | .key as $index | .value | "\n        " + argument($index))
  ] | join(""))\n      )" end)
  + "\n      ;;"),
"    *) return 1 ;;
  esac
}"
