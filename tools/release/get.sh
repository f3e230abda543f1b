#!/usr/bin/env bash
# Gets a release of skillhand into a folder, after comparing its checksum.
#
#   VERSION=v1.2.3 CHECKSUM=… RELEASES=https://…/releases get.sh FOLDER
#
# VERSION is latest if it is not given. Without CHECKSUM the release's own SHA256SUMS is used.
set -euo pipefail

folder=${1:?"the folder to unpack into is missing: get.sh FOLDER"}
version=${VERSION:-latest}
releases=${RELEASES:-https://github.com/skillhand/skillhand/releases}

# fetch ADDRESS [OPTION…]
fetch() {
  curl --fail --silent --show-error --location --retry 3 "$@" || { echo "skillhand: cannot get $1" >&2; exit 4; }
}

case "$(uname -s)" in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  MINGW* | MSYS* | CYGWIN*) os=windows ;;
  *) echo "skillhand: no release for $(uname -s)" >&2; exit 3 ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) echo "skillhand: no release for $(uname -m)" >&2; exit 3 ;;
esac

if [ "$version" = latest ]; then
  # The address of the latest release leads to that of its version.
  version=$(fetch "$releases/latest" --output /dev/null --write-out '%{url_effective}')
  version=${version##*/}
fi
name=skillhand-$version-$os-$arch
archive=$name.tar.gz
if [ "$os" = windows ]; then archive=$name.zip; fi

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
fetch "$releases/download/$version/$archive" --output "$temp/$archive"
checksum=${CHECKSUM:-}
if [ -z "$checksum" ]; then
  checksum=$(fetch "$releases/download/$version/SHA256SUMS" | awk -v name="$archive" '$2 == name { print $1 }')
fi
if [ -z "$checksum" ]; then
  echo "skillhand: SHA256SUMS of $version does not list $archive" >&2
  exit 1
fi
if command -v sha256sum > /dev/null; then
  sum=$(sha256sum "$temp/$archive")
else
  sum=$(shasum -a 256 "$temp/$archive")
fi
if [ "${sum%% *}" != "$checksum" ]; then
  echo "skillhand: the checksum of $archive is ${sum%% *}, want $checksum" >&2
  exit 1
fi

if [ "$os" = windows ]; then
  unzip -q -o "$temp/$archive" -d "$temp/out"
else
  mkdir "$temp/out"
  tar -xzf "$temp/$archive" -C "$temp/out"
fi
suffix=
if [ "$os" = windows ]; then suffix=.exe; fi
for program in skillhand skillhand-server; do
  if [ ! -f "$temp/out/$name/$program$suffix" ]; then
    echo "skillhand: $archive has no $program" >&2
    exit 1
  fi
done
mkdir -p "$folder"
cp -R "$temp/out/$name/." "$folder/"
