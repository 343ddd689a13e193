#!/bin/sh
# Installs acct, its manual and its completions to PREFIX: /usr/local for root, else ~/.local.
#   ./install.sh            PREFIX=/opt/acct ./install.sh
#   ./install.sh uninstall  takes it away again; accounts and folders stay
set -eu
cd "$(dirname "$0")"
if [ "$(id -u)" = 0 ]; then : "${PREFIX:=/usr/local}"; else : "${PREFIX:=$HOME/.local}"; fi

case ${1:-install} in
  install | uninstall) ;;
  *)
    echo "install.sh: the word can be uninstall, not $1" >&2
    exit 64
    ;;
esac
find bin share -type f -o -type l | sort | while read -r file; do
  if [ "${1:-}" = uninstall ]; then
    rm -f "$PREFIX/$file"
  else
    mkdir -p "$PREFIX/$(dirname "$file")"
    # A program that runs is replaced, not written to.
    cp -Pp --remove-destination "$file" "$PREFIX/$file"
  fi
done
if [ "${1:-}" != uninstall ]; then
  echo "installed $("$PREFIX/bin/acct" --version) to $PREFIX"
  case :$PATH: in *":$PREFIX/bin:"*) ;; *) echo "$PREFIX/bin is not on PATH" ;; esac
fi
