#!/usr/bin/env bash
# Draws the pictures of games.txt, each at full size and 400 pixels wide, about
# the width of a phone, and writes ../play/pictures.md. `make pictures` calls it.
#
# With a folder, it writes a page per game there instead, to look at: every kind of
# picture in the four themes, 341 pixels wide as on a small phone, in colour and in grey,
# each with a link to its full size.
set -euo pipefail
sheets=${1:+$(mkdir -p "$1" && cd "$1" && pwd)}
cd "$(dirname "$0")"
program=$(mktemp) page=$(mktemp)
trap 'rm -f "$program" "$page"' EXIT
go build -o "$program" ../../cmd/castellan

cat >"$page" <<'PAGE'
# Pictures

Every kind of picture of every game, 400 pixels wide as on a phone. Each links to its full size. `make pictures` draws them and writes this page from [games.txt](../pictures/games.txt); a test compares them with the painters' pictures.
PAGE

# sheet KIND TURNS draws a kind of picture in all themes and adds it to the page of its game.
sheet() {
	local theme file
	[ -s "$sheets/$game.html" ] || echo "<!doctype html><title>$game</title><style>.grey img{filter:grayscale(1)}</style>" >"$sheets/$game.html"
	for theme in dark light wood contrast; do
		file=$game-$1-$theme
		"$program" render --game "$game" "${flags[@]}" --theme "$theme" --turns "$2" --out "$sheets/$file.png" >/dev/null
		"$program" render --game "$game" "${flags[@]}" --theme "$theme" --turns "$2" --width 341 --out "$sheets/$file-341.png" >/dev/null
	done
	for row in colour grey; do
		echo "<div class=$row>" >>"$sheets/$game.html"
		for theme in dark light wood contrast; do
			file=$game-$1-$theme
			echo "<a href=$file.png><img alt=\"$1, $theme\" width=341 src=$file-341.png></a>" >>"$sheets/$game.html"
		done
		echo "</div>" >>"$sheets/$game.html"
	done
}

# draw KIND THEME TURNS draws both sizes and writes their line of the page.
draw() {
	if [ -n "$sheets" ]; then
		[ "$2" != dark ] || sheet "$1" "$3" # the others are the middle in other themes
		return
	fi
	local file=$game-$1.png small=$game-$1-400.png status
	"$program" render --game "$game" "${flags[@]}" --theme "$2" --turns "$3" --width 400 --out "$small" >/dev/null
	status=$("$program" render --game "$game" "${flags[@]}" --theme "$2" --turns "$3" --out "$file")
	status=${status#*: }
	printf '| %s | [![%s, %s: %s](../pictures/%s)](../pictures/%s) |\n' \
		"$1" "$name" "$1" "$status" "$small" "$file" >>"$page"
}

[ -z "$sheets" ] || rm -f "$sheets"/*.html
while IFS='|' read -r game name words middle open rest; do
	case $game in '#'* | '') continue ;; esac
	read -ra flags <<<"$words"
	if [ "$(xargs <<<"$game")" = + ]; then
		game=$(xargs <<<"$name") name=$title
		draw "$(xargs <<<"$middle")" dark "$open"
		continue
	fi
	game=$(xargs <<<"$game") name=$(xargs <<<"$name") title=$name
	printf '\n## %s\n\n| what | picture |\n|---|---|\n' "$name" >>"$page"
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
[ -n "$sheets" ] || cat "$page" >../play/pictures.md
