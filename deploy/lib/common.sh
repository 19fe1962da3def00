# shellcheck shell=bash
# What the scripts in deploy/ share: talking, timing, and putting missing tools on the machine.
# Sourced, never run. It may not know what Inferex is beyond the place of its sources and its data folder.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() { printf '%s\n' "$*" >&2; }

# stop CODE SENTENCE
stop() {
  say "$(basename "$0"): $2"
  exit "$1"
}

# timed NAME COMMAND…: says what begins, and how long it took.
timed() {
  local name=$1 began=$SECONDS code=0
  shift
  say "==> $name"
  "$@" || code=$?
  say "    $name: $((SECONDS - began)) s"
  return "$code"
}

has() { command -v "$1" >/dev/null 2>&1; }

is_root() { [ "$(id -u)" = 0 ]; }

# at_least HAVE WANT: compares dotted versions.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# The data folder as the product finds it, absolute where it exists.
data_dir() {
  local folder=${INFEREX_DATA_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/inferex}
  realpath -m "$folder"
}

target_dir() { echo "${CARGO_TARGET_DIR:-$root/target}"; }

# --- packages --------------------------------------------------------------------------------------------------------
package_manager() {
  local name
  for name in apt-get dnf pacman zypper apk; do
    if has "$name"; then echo "$name"; return; fi
  done
  echo none
}

# package_names MANAGER TOOL: the distribution's names for what a tool needs.
package_names() {
  case $1:$2 in
    apt-get:compiler) echo 'gcc libc6-dev' ;;
    dnf:compiler | zypper:compiler) echo 'gcc glibc-devel' ;;
    pacman:compiler) echo 'gcc' ;;
    apk:compiler) echo 'gcc musl-dev' ;;
    *:curl) echo 'curl ca-certificates' ;;
    *:node) echo 'nodejs npm' ;;
    apt-get:chromium) echo 'chromium fonts-liberation' ;;
    pacman:chromium) echo 'chromium ttf-liberation' ;;
    apk:chromium) echo 'chromium font-liberation' ;;
    *:chromium) echo 'chromium liberation-fonts' ;;
    pacman:pip) echo 'python-pip' ;;
    apk:pip) echo 'py3-pip' ;;
    *:pip) echo 'python3-pip' ;;
    dnf:shellcheck | zypper:shellcheck) echo 'ShellCheck' ;;
    *) echo "$2" ;;
  esac
}

# install_command TOOL…: the command that a person with root's rights runs on this distribution.
install_command() {
  local manager names='' tool
  manager=$(package_manager)
  for tool in "$@"; do names+=" $(package_names "$manager" "$tool")"; done
  case $manager in
    apt-get) echo "apt-get install -y --no-install-recommends$names" ;;
    dnf) echo "dnf install -y$names" ;;
    pacman) echo "pacman -S --needed --noconfirm$names" ;;
    zypper) echo "zypper --non-interactive install$names" ;;
    apk) echo "apk add$names" ;;
    none) return 1 ;;
  esac
}

# hint TOOL…: one phrase that tells how to get it.
hint() {
  local command
  if ! command=$(install_command "$@"); then echo "install $* with your distribution's tools"
  elif is_root; then echo "run: $command"
  else echo "run: sudo $command"; fi
}

run_as_root() {
  local words
  read -r -a words <<<"$1"
  if [ "${words[0]}" = apt-get ]; then
    "${2:-env}" apt-get update -qq >&2 || true
    words=(DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 "${words[@]:1}")
  fi
  "${2:-env}" "${words[@]}" >&2
}

confirm() {
  local answer
  read -r -p "$1 [y/N] " answer </dev/tty || return 1
  [[ $answer == [yY]* ]]
}

# install_tools TOOL…: installs as root; asks before sudo; without a terminal says the command and fails.
install_tools() {
  local command
  command=$(install_command "$@") || return 1
  if is_root; then
    say "    installing: $command"
    run_as_root "$command"
  elif [ -t 0 ] && has sudo && confirm "    Run: sudo $command ?"; then
    run_as_root "$command" sudo
  else
    return 1
  fi
}

# --- Rust and C ------------------------------------------------------------------------------------------------------
ensure_compiler() {
  has cc || has gcc || install_tools compiler ||
    stop 2 "a C compiler is missing, which SQLite is built with; $(hint compiler)"
}

wanted_rust() { sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' "$root/Cargo.toml" | head -n 1; }

rust_version() { (cd "$root" && rustc --version 2>/dev/null) | cut -d' ' -f2 | cut -d- -f1; }

rust_fits() {
  local have
  has cargo && have=$(rust_version) && [ -n "$have" ] && at_least "$have" "$(wanted_rust)"
}

install_rustup() {
  local installer
  say "    installing rustup and the stable toolchain into ~/.rustup and ~/.cargo (about 250 MB, no root's rights needed)"
  has curl || install_tools curl || stop 2 "curl is missing; $(hint curl)"
  installer=$(mktemp)
  curl --proto '=https' --tlsv1.2 --silent --show-error --fail --max-time 120 -o "$installer" https://sh.rustup.rs ||
    stop 3 'rustup could not be fetched from https://sh.rustup.rs; install Rust by other means, then run this again.'
  sh "$installer" -y --no-modify-path --profile minimal --component clippy --component rustfmt >&2 ||
    stop 3 'rustup could not install the toolchain; see the lines above.'
  rm -f "$installer"
}

ensure_rust() {
  # rustup's place is known even where the shell's start-up files do not name it; a cargo on PATH goes first.
  if ! has cargo && [ -d "$HOME/.cargo/bin" ]; then PATH=$HOME/.cargo/bin:$PATH; fi
  if rust_fits; then return; fi
  if has rustup; then
    say "    the active Rust is older than $(wanted_rust): fetching the stable toolchain with rustup"
    rustup toolchain install stable --profile minimal --component clippy --component rustfmt >&2 ||
      stop 3 'rustup could not fetch the stable toolchain; see the lines above.'
    export RUSTUP_TOOLCHAIN=stable
  else
    install_rustup
    PATH=$HOME/.cargo/bin:$PATH
  fi
  rust_fits || stop 2 "Rust $(wanted_rust) or newer is needed, found $(rust_version); put a newer cargo first on PATH."
}
