# What the scripts here share. Source it; it changes to the root of the project.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }
fail() { say "$*"; exit 1; }

# Packages and features of a build that loads MPI when it runs: one build for all tests of it.
# shellcheck disable=SC2034 # Scripts that source this one use it.
loaded=(--locked --quiet --package streamfold --package streamfold-python --no-default-features --features streamfold/mpi-load)

# Runs a command as root: by itself, or with sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    return 1
  fi
}

apt_updated=
apt_update() {
  [ -z "$apt_updated" ] || return 0
  as_root apt-get update -qq || return 1
  apt_updated=yes
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]; }

# Installs the Debian or Ubuntu packages that are missing, when root or sudo allows it.
need_packages() {
  local missing=() package
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null ||
    fail "this is no Debian or Ubuntu; install what these packages of Debian hold: ${missing[*]}"
  say "installing ${missing[*]}"
  { apt_update && as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; } ||
    fail "cannot install packages; let an administrator do it: apt-get install ${missing[*]}"
}

# The oldest Rust that builds the project, from Cargo.toml: one place says it.
oldest_rust() { sed -n 's/^rust-version = "\([0-9.]*\)"/\1/p' Cargo.toml; }

# Whether version $1 is at least $2.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# The version of the Rust on the path; nothing where there is none.
rust_version() { { rustc --version 2>/dev/null || true; } | cut -d' ' -f2 | cut -d- -f1; }

new_enough() {
  local version
  version=$(rust_version)
  [ -n "$version" ] && at_least "$version" "$(oldest_rust)" && command -v cargo >/dev/null
}

# The newest package of a single version that is new enough, as Ubuntu has them beside the one that
# is too old: 1.89 for cargo-1.89 and rustc-1.89.
versioned_package() {
  local newest
  newest=$(apt-cache search --names-only '^cargo-1\.[0-9]+$' |
    sed -n 's/^cargo-\(1\.[0-9]*\) .*/\1/p' | sort -V | tail -n 1)
  [ -n "$newest" ] && at_least "$newest" "$(oldest_rust)" && echo "$newest"
}

# Finds a Rust that is new enough: the one on the path, that of rustup, or a package.
need_rust() {
  new_enough && return 0
  local rustup=${CARGO_HOME:-${HOME:-/root}/.cargo}/bin path=$PATH found candidate
  PATH=$rustup:$PATH
  new_enough && return 0
  PATH=$path
  found=$(rust_version)
  if command -v apt-cache >/dev/null && apt_update; then
    local version
    if version=$(versioned_package); then
      need_packages "rustc-$version" "cargo-$version"
      rust_packages=("rustfmt-$version" "rust-$version-clippy")
      PATH=/usr/lib/rust-$version/bin:$PATH
      new_enough && return 0
    fi
    candidate=$(apt-cache policy cargo | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')
    if [ -n "$candidate" ] && at_least "$candidate" "$(oldest_rust)"; then
      need_packages rustc cargo
      rust_packages=(rustfmt rust-clippy)
      new_enough && return 0
    fi
  fi
  fail "Rust $(oldest_rust) or newer is needed${found:+, and only $found is there}; no package here has it.
Install it with rustup, which needs no administrator (apt-get install curl ca-certificates):
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y
and run this again."
}

# What formats and lints, from where Rust itself came.
rust_packages=()
need_rust_tools() {
  if cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1; then
    return 0
  elif [ ${#rust_packages[@]} -gt 0 ]; then
    need_packages "${rust_packages[@]}"
  elif command -v rustup >/dev/null; then
    rustup component add rustfmt clippy
  else
    fail "cargo fmt and cargo clippy are needed: install rustfmt and clippy from where Rust came from"
  fi
}

# What the build needs, and where to find it.
need_build() {
  need_packages build-essential ca-certificates pkg-config libclang-dev \
    openmpi-bin libopenmpi-dev libhdf5-openmpi-dev
  need_rust
  if [ -z "${HDF5_DIR:-}" ]; then
    HDF5_DIR=/usr/lib/$(gcc -print-multiarch)/hdf5/openmpi
    export HDF5_DIR
  fi
  # In containers people are root, and have fewer cores than a test has ranks. The last one is for
  # Open MPI 5.
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
  # Halves the start of a job on one machine: other transports are not looked for.
  export OMPI_MCA_pml=ob1
  export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
}
