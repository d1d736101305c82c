#!/usr/bin/env bash
# Draws the pictures of games.txt, each at full size and 400 pixels wide, about
# the width of a phone, and writes ../play/pictures.md. `make pictures` calls it.
set -euo pipefail
cd "$(dirname "$0")"
program=$(mktemp) page=$(mktemp)
trap 'rm -f "$program" "$page"' EXIT
go build -o "$program" ../../cmd/castellan

cat >"$page" <<'PAGE'
# Pictures

Every kind of picture of every game, 400 pixels wide as on a phone. Each links to its full size. `make pictures` draws them and writes this page from [games.txt](../pictures/games.txt); a test compares them with the painters' pictures.
PAGE

# draw KIND THEME TURNS draws both sizes and writes their line of the page.
draw() {
	local file=$game-$1.png small=$game-$1-400.png status
	"$program" render --game "$game" "${flags[@]}" --theme "$2" --turns "$3" --width 400 --out "$small" >/dev/null
	status=$("$program" render --game "$game" "${flags[@]}" --theme "$2" --turns "$3" --out "$file")
	status=${status#*: }
	printf '| %s | [![%s, %s: %s](../pictures/%s)](../pictures/%s) | %s |\n' \
		"$1" "$name" "$1" "$status" "$small" "$file" "$status" >>"$page"
}

while IFS='|' read -r game name words middle open rest; do
	case $game in '#'* | '') continue ;; esac
	read -ra flags <<<"$words"
	if [ "$(xargs <<<"$game")" = + ]; then
		game=$(xargs <<<"$name") name=$title
		draw "$(xargs <<<"$middle")" dark "$open"
		continue
	fi
	game=$(xargs <<<"$game") name=$(xargs <<<"$name") title=$name
	printf '\n## %s\n\n| what | picture | in words |\n|---|---|---|\n' "$name" >>"$page"
	draw start dark ""
	draw middle dark "$middle"
	if [ -n "${open// /}" ]; then
		draw open dark "$middle $open"
	fi
	draw end dark "$middle $rest"
	draw light light "$middle"
	draw wood wood "$middle"
	draw contrast contrast "$middle"
done <games.txt
cat "$page" >../play/pictures.md
