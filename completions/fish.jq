include "grammar";
def entry: (.[0] | quoted) + (if .[1] == "" then "" else "\\t" + (.[1] | brief | quoted) end);
def option: .about as $about | .names[] + (if .kind == null then "" else "=" + .kind end) | [., $about] | entry;
"# What may follow a command; an option that takes a value is written with its kind.
function __acct_grammar -S
    set commands
    set options
    set arguments
    switch $argv[1]",
(grammar($values[0])[]
| "        case \(.path | quoted)"
  + (if .commands == [] then "" else "\n            set commands \([.commands[] | [.name, .about] | entry] | join(" \\\n                "))" end)
  + (if .options == [] then "" else "\n            set options \([.options[] | option] | join(" \\\n                "))" end)
  + (if .arguments == [] then ""
    else "\n            set arguments \([.arguments[] | .kind + (if .repeats then "*" else "" end) | quoted] | join(" "))" end)),
"        case '*'
            return 1
    end
    # Fish\u0027s `set` leaves the status as it was.
    return 0
end"
