# Homebrew's formula for skillhand {{.Number}}, made by tools/release/.
class Skillhand < Formula
  desc "Lint, test, run and serve agent skills, and call Claude from scripts"
  homepage "https://github.com/skillhand/skillhand"
  version "{{.Number}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{.URL "darwin" "arm64"}}"
      sha256 "{{.Sum "darwin" "arm64"}}"
    end
    on_intel do
      url "{{.URL "darwin" "amd64"}}"
      sha256 "{{.Sum "darwin" "amd64"}}"
    end
  end

  on_linux do
    on_arm do
      url "{{.URL "linux" "arm64"}}"
      sha256 "{{.Sum "linux" "arm64"}}"
    end
    on_intel do
      url "{{.URL "linux" "amd64"}}"
      sha256 "{{.Sum "linux" "amd64"}}"
    end
  end

  def install
    bin.install "skillhand", "skillhand-server"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/skillhand.bash" => "skillhand"
    zsh_completion.install "completions/_skillhand"
    fish_completion.install "completions/skillhand.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/skillhand version")
  end
end
