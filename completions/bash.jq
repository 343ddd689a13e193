include "grammar";
def option: .names[] + (if .kind == null then "" else "=" + .kind end);
grammar($values[0])[]
| "    \(.path | quoted))"
  + (if .commands == [] then "" else "\n      commands=(\(.commands | map(.name) | join(" ")))" end)
  + (if .options == [] then "" else "\n      options=(\([.options[] | option | if test(" ") then quoted else . end] | join(" ")))" end)
  + (if .arguments == [] then ""
    else "\n      arguments=(\([.arguments[] | .kind + (if .repeats then "*" else "" end) | quoted] | join(" ")))" end)
  + "\n      ;;"
