# What `acct --experimental-dump-help` says, together with values.json, as a grammar that the three
# shells' tables are written from:
#   [{path, about, commands: [{name, about}], options: [{names, about, kind, repeats}],
#     arguments: [{kind, label, repeats}]}]
# `kind` is null for a flag, "" for a value that nothing can be offered for, "=a b c" for one of a
# few words, else a kind of values.json.

def spelled: if .kind == "long" then "--" + .name else "-" + .name end;

# What a value is. A new option or argument must be decided on, so that none is forgotten.
def kind($values; $path; $place):
  if .allValues then "=" + (.allValues | join(" "))
  elif $values[$path] // {} | has($place) then $values[$path][$place] // ""
  elif $values["*"] | has($place) then $values["*"][$place] // ""
  else error("completions/values.json does not say what \($place) of `acct \($path)` is") end;

def command($values; $path):
  {
    path: $path,
    about: (.abstract // ""),
    commands: [.subcommands[]? | select(.shouldDisplay) | {name: .commandName, about: (.abstract // "")}],
    options: [
      .arguments[]? | select(.kind != "positional" and .shouldDisplay)
      | (.names | map(spelled)) as $names
      | {
        names: $names,
        about: (.abstract // ""),
        label: .valueName,
        repeats: .isRepeating,
        kind: (if .kind == "option" then kind($values; $path; .preferredName | spelled) else null end)
      }
    ],
    arguments: [
      [.arguments[]? | select(.kind == "positional" and .shouldDisplay)] | to_entries[]
      | (if .value.isRepeating then "*" else "\(.key + 1)" end) as $place
      | .value
      | {kind: kind($values; $path; $place), label: .valueName, repeats: .isRepeating}
    ]
  },
  (.subcommands[]? | select(.shouldDisplay and .commandName != "help")
    | .commandName as $name
    | command($values; if $path == "" then $name else "\($path) \($name)" end));

# `acct help` takes the names of commands, in the same tree.
def helped: [.[] | select(.commands != []) | {
  path: (if .path == "" then "help" else "help \(.path)" end),
  about: "Show how a command is used.", commands, options: [], arguments: []
}];

# A command whose first argument is one of a few words, beside the commands in it: the words are offered with those. What
# follows such a word is a program's, and nothing is offered for it.
def asCommands:
  .commands += (.arguments[0] as $first | $first.kind | ltrimstr("=") / " " | map({name: ., about: "A \($first.label)."}))
  | .arguments = [];

def grammar($values):
  [.command | command($values; "")]
  # The options that every command has may stand before the command, too.
  | ([.[] | select(.commands == []) | .options] | .[0] as $first
    | reduce .[1:][] as $next ($first; map(select([.] | inside($next))))) as $shared
  | map(if .path == "" then .options = ($shared + .options | unique_by(.names)) else . end)
  | map(.commands |= map(if .name == "help" then .about = "Show how a command is used." else . end))
  | . as $commands
  | if $commands[0].commands | any(.name == "help") then .
    else .[0].commands += [{name: "help", about: "Show how a command is used."}] end
  | . + helped
  | map(if .commands != [] and .arguments != [] then asCommands else . end);

# A word in single quotes, as all three shells read it.
def quoted: "'" + gsub("'"; "'\\''") + "'";
# The first sentence, without its full stop.
def brief: sub("\\.$"; "");
