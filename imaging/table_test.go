package imaging_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"

	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/imaging/imagingtest"
	"castellan/imaging/trails"
)

func tables() map[string]imaging.Table {
	names := []string{"Anna", "Benedikt von Habsburg-Lothringen", "Chloé", "Дмитрий", "陽子", "Eve", "مريم", "Grace", "🦊🦊"}
	t := imaging.Table{Title: "Tuesday Towers #7", Note: "Round 3 of 5"}
	for i, name := range names {
		t.Rows = append(t.Rows, imaging.TableRow{
			Place: fmt.Sprint(i + 1), Name: name, Points: imaging.Points(6 - i/2), Figure: fmt.Sprint(7 - i/2),
			Signs: []imaging.Sign{imaging.Sign(1 + i%6), imaging.SignWon, imaging.SignDrawn, imaging.SignLost, imaging.SignPlaying}, Gone: i == 7,
		})
	}
	open := imaging.Table{Title: "A tournament whose name is longer than the picture is wide, and then some", Note: "Swiss", Rows: []imaging.TableRow{{Name: "Anna", Points: "1640"}}}
	many := imaging.Table{Title: "Ladder", Note: "Round 15 of 15"}
	for i := range imaging.MostTableRows {
		many.Rows = append(many.Rows, imaging.TableRow{Place: fmt.Sprint(i + 1), Name: fmt.Sprintf("Player %d", i+1), Points: "12½", Signs: make([]imaging.Sign, 15)})
		for j := range many.Rows[i].Signs {
			many.Rows[i].Signs[j] = imaging.Sign(1 + (i*j)%6)
		}
	}
	return map[string]imaging.Table{"table": t, "table-open": open, "table-many": many}
}

func TestTableGolden(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, trails.Painter())
	for name, table := range tables() {
		for _, theme := range draw.Themes() {
			if theme != draw.Dark && name != "table" {
				continue
			}
			t.Run(name+"-"+theme, func(t *testing.T) {
				file, err := r.Table(t.Context(), table, theme)
				if err != nil {
					t.Fatal(err)
				}
				picture, err := png.Decode(bytes.NewReader(file))
				if err != nil {
					t.Fatal(err)
				}
				paletted, ok := picture.(*image.Paletted)
				if !ok {
					t.Fatalf("the picture is a %T", picture)
				}
				imagingtest.GoldenPicture(t, name+"-"+theme, paletted, *update)
			})
		}
	}
}

func TestTableErrors(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, trails.Painter())
	for _, rows := range []int{0, imaging.MostTableRows + 1} {
		if _, err := r.Table(t.Context(), imaging.Table{Rows: make([]imaging.TableRow, rows)}, ""); err == nil {
			t.Errorf("a table of %d rows is drawn", rows)
		}
	}
	if _, err := r.Table(t.Context(), imaging.Table{Rows: make([]imaging.TableRow, 1)}, "none"); err == nil {
		t.Error("there is no such theme")
	}
}
