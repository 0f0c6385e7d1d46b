# What the scripts here share. Source it; it changes to the root of the project.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }
fail() { say "$*"; exit 1; }

# Installs the Debian or Ubuntu packages that are missing, when root or sudo allows it.
need_packages() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] ||
      missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local root=()
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || [ -t 0 ] && command -v sudo >/dev/null ||
      fail "missing packages, and no root to install them: apt-get install ${missing[*]}"
    root=(sudo)
  fi
  command -v apt-get >/dev/null || fail "not a Debian or Ubuntu system; needed are what these packages hold: ${missing[*]}"
  say "installing ${missing[*]}"
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# The oldest Rust that builds the project, from Cargo.toml: one place says it.
oldest_rust() { sed -n 's/^rust-version = "\([0-9.]*\)"/\1/p' Cargo.toml; }

# Whether version $1 is at least $2.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

rust_version() { rustc --version 2>/dev/null | cut -d' ' -f2 | cut -d- -f1; }

# Finds a Rust that is new enough: the one on the path, that of rustup, or a package. Ubuntu has
# packages of single versions (rustc-1.89, cargo-1.89) beside the one that is too old.
need_rust() {
  local oldest version
  oldest=$(oldest_rust)
  [ ! -e "$HOME/.cargo/bin/cargo" ] || PATH=$PATH:$HOME/.cargo/bin
  version=$(rust_version)
  if [ -n "$version" ] && at_least "$version" "$oldest" && command -v cargo >/dev/null; then
    return 0
  fi
  local newest=
  if command -v apt-cache >/dev/null; then
    newest=$(apt-cache search --names-only '^cargo-1\.[0-9]+$' | sed -n 's/^cargo-\(1\.[0-9]*\) .*/\1/p' |
      sort -V | tail -n 1)
    if [ -n "$newest" ] && at_least "$newest" "$oldest"; then
      need_packages "rustc-$newest" "cargo-$newest"
      PATH=/usr/lib/rust-$newest/bin:$PATH
      [ -z "$(rust_version)" ] || ! at_least "$(rust_version)" "$oldest" || return 0
    fi
    local candidate
    candidate=$(apt-cache policy cargo | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')
    if [ -n "$candidate" ] && at_least "$candidate" "$oldest"; then
      need_packages rustc cargo
      return 0
    fi
  fi
  fail "Rust $oldest or newer is needed${version:+, and only $version is there}. Install it with rustup:
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y
and run this again."
}

# What the build needs, and where to find it.
need_build() {
  need_packages build-essential pkg-config libclang-dev openmpi-bin libopenmpi-dev libhdf5-openmpi-dev
  need_rust
  if [ -z "${HDF5_DIR:-}" ]; then
    HDF5_DIR=/usr/lib/$(gcc -print-multiarch)/hdf5/openmpi
    export HDF5_DIR
  fi
  # In containers people are root, and have fewer cores than a test has ranks.
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
}
