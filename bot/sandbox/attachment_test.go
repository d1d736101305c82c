package sandbox_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"castellan/bot/sandbox/api"
)

// fetch sends a GET to a URL of the sandbox, as the page does.
func (r *rig) fetch(url string) answer {
	r.t.Helper()
	req := must(http.NewRequest(http.MethodGet, url, nil))
	return r.do(req)
}

func names(t *testing.T, message body) string {
	t.Helper()
	var out []string
	for _, a := range message["attachments"].(list) {
		out = append(out, text(t, a, "filename"))
	}
	return strings.Join(out, " ")
}

func TestAttachmentStored(t *testing.T) {
	r := newRig(t)
	data := picture(t, 30, 20)
	got := r.post(r.channel(), body{"attachments": list{body{"id": 0, "description": "A board"}}}, upload{"files[0]", "my board.png", data}).ok(http.StatusOK)
	a := dig(t, got, "attachments", 0).(body)
	if a["filename"] != "my_board.png" || a["width"] != 30.0 || a["height"] != 20.0 || a["content_type"] != "image/png" ||
		a["size"] != float64(len(data)) || a["description"] != "A board" || a["proxy_url"] == "" {
		t.Errorf("got %v", a)
	}
	file := r.fetch(text(t, a, "url"))
	file.ok(http.StatusOK)
	if !bytes.Equal(file.raw, data) || file.header.Get("Content-Type") != "image/png" {
		t.Errorf("fetched %d bytes of %s", len(file.raw), file.header.Get("Content-Type"))
	}
	kept, ok := r.box.Attachment(text(t, a, "id"))
	if !ok || !bytes.Equal(kept.Data, data) {
		t.Error("Attachment does not find it")
	}
	r.fetch(strings.Replace(text(t, a, "url"), "my_board", "other", 1)).ok(http.StatusNotFound)
	other := r.post(r.channel(), body{}, upload{"files[0]", "../page.html", []byte("<script>")}).ok(http.StatusOK)
	a = dig(t, other, "attachments", 0).(body)
	file = r.fetch(text(t, a, "url"))
	if a["filename"] != "page.html" || !strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment") || a["width"] != nil {
		t.Errorf("a file that is no picture: %v, %v", a, file.header)
	}
}

func TestAttachmentEntries(t *testing.T) {
	r := newRig(t)
	file := upload{"files[0]", "a.png", picture(t, 1, 1)}
	r.post(r.channel(), body{"attachments": list{body{"id": 7}}}, file).invalid("attachments.0.id", "ATTACHMENT_NOT_FOUND")
	r.post(r.channel(), body{"attachments": list{body{}}}, file).invalid("attachments.0.id", "BASE_TYPE_REQUIRED")
	r.post(r.channel(), body{"attachments": list{body{"id": "0", "description": strings.Repeat("x", 1025)}}}, file).invalid("attachments.0.description", "BASE_TYPE_MAX_LENGTH")
	got := r.post(r.channel(), body{"attachments": list{body{"id": "0", "filename": "b.png"}}}, file).ok(http.StatusOK)
	if names(t, got) != "b.png" {
		t.Errorf("renamed: %s", names(t, got))
	}
	many := make([]upload, 11)
	for i := range many {
		many[i] = upload{fmt.Sprintf("files[%d]", i), "a.txt", []byte("x")}
	}
	r.post(r.channel(), body{}, many...).fails(http.StatusBadRequest, 30015)
}

func TestUploadLimit(t *testing.T) {
	r := newRig(t)
	r.post(r.channel(), body{}, upload{"files[0]", "a.bin", make([]byte, api.MaxUpload)}).ok(http.StatusOK)
	r.post(r.channel(), body{}, upload{"files[0]", "a.bin", make([]byte, api.MaxUpload+1)}).fails(http.StatusRequestEntityTooLarge, 40005)
}

// TestEditAttachments: without a list API v9 appends the files of an edit and
// v10 replaces them; in both a list names the files that stay.
func TestEditAttachments(t *testing.T) {
	r := newRig(t)
	png := picture(t, 1, 1)
	tests := []struct {
		name    string
		version int
		list    any // "old" stands for the id of old.png
		upload  bool
		want    string
	}{
		{"v9 appends", 9, nil, true, "old.png new.png"},
		{"v10 replaces", 10, nil, true, "new.png"},
		{"v9 keeps without files", 9, nil, false, "old.png"},
		{"v10 keeps without files", 10, nil, false, "old.png"},
		{"v9 keeps what is listed", 9, list{"old"}, true, "old.png new.png"},
		{"v10 keeps what is listed", 10, list{"old", "0"}, true, "old.png new.png"},
		{"v9 drops what is not listed", 9, list{"0"}, true, "new.png"},
		{"v10 drops what is not listed", 10, list{"0"}, true, "new.png"},
		{"v9 empty list", 9, list{}, false, ""},
		{"v10 empty list", 10, list{}, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first := r.post(r.channel(), body{"content": "x"}, upload{"files[0]", "old.png", png}).ok(http.StatusOK)
			old := text(t, first, "attachments", 0, "id")
			what := body{"content": "y"}
			if l, ok := tt.list.(list); ok {
				entries := list{}
				for _, e := range l {
					id := e
					if e == "old" {
						id = old
					}
					entries = append(entries, body{"id": id})
				}
				what["attachments"] = entries
			}
			var files []upload
			if tt.upload {
				files = append(files, upload{"files[0]", "new.png", png})
			}
			got := r.send(tt.version, http.MethodPatch, r.channel()+"/"+text(t, first, "id"), what, files...)
			got.t = t
			if n := names(t, got.ok(http.StatusOK)); n != tt.want {
				t.Errorf("attachments %q, want %q", n, tt.want)
			}
			if _, there := r.box.Attachment(old); there != strings.Contains(tt.want, "old.png") {
				t.Errorf("the old file is still there: %v", there)
			}
		})
	}
}

func TestUpdateDropsUnlistedFiles(t *testing.T) {
	r := newRig(t)
	png := picture(t, 1, 1)
	for _, version := range []int{9, 10} {
		got := r.post(r.channel(), body{"content": "x", "components": list{button("b")}}, upload{"files[0]", "a.png", png}).ok(http.StatusOK)
		id, file := text(t, got, "id"), text(t, got, "attachments", 0, "id")
		in := r.click(anna, id, "b")
		r.send(version, http.MethodPost, in.callback(), body{"type": 7, "data": body{"attachments": list{body{"id": file}}}}).ok(http.StatusNoContent)
		if got := r.get(r.channel() + "/" + id).ok(http.StatusOK); names(t, got) != "a.png" {
			t.Errorf("v%d: what is listed is kept: %q", version, names(t, got))
		}
		in = r.click(anna, id, "b")
		r.send(version, http.MethodPost, in.callback(), body{"type": 7, "data": body{"content": "y"}}).ok(http.StatusNoContent)
		if got := r.get(r.channel() + "/" + id).ok(http.StatusOK); names(t, got) != "" {
			t.Errorf("v%d: what is not is lost: %q", version, names(t, got))
		}
	}
}

func TestV2Attachments(t *testing.T) {
	r := newRig(t)
	got := r.post(r.channel(), v2(gallery("attachment://a.png")), upload{"files[0]", "a.png", picture(t, 30, 20)},
		upload{"files[1]", "unused.png", picture(t, 1, 1)}).ok(http.StatusOK)
	if names(t, got) != "" {
		t.Errorf("attachments %q", names(t, got))
	}
	media := dig(t, got, "components", 0, "items", 0, "media").(body)
	if media["width"] != 30.0 || media["height"] != 20.0 || media["content_type"] != "image/png" {
		t.Errorf("media %v", media)
	}
	r.fetch(text(t, media, "url")).ok(http.StatusOK)
	if dig(t, got, "components", 0, "items", 0, "description") != "A picture" {
		t.Error("the description is lost")
	}

	one := r.channel() + "/" + text(t, got, "id")
	r.patch(one, body{"components": list{textDisplay("no picture")}}).ok(http.StatusOK)
	// A page may still ask for what was replaced, for a while.
	r.fetch(text(t, media, "url")).ok(http.StatusOK)
	if _, there := r.box.Attachment(text(t, media, "id")); there {
		t.Error("the message still has the old picture")
	}
	for range 2 {
		big := r.post(r.channel(), body{}, upload{"files[0]", "a.bin", make([]byte, 5<<20)}).ok(http.StatusOK)
		r.delete(r.channel() + "/" + text(t, big, "id")).ok(http.StatusNoContent)
	}
	r.fetch(text(t, media, "url")).ok(http.StatusNotFound)
	r.patch(one, body{"components": list{gallery("attachment://a.png")}}).invalid("components.0.items.0.media.url", "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND")
	r.patch(one, body{"components": list{gallery("attachment://b.png")}, "attachments": list{body{"id": 0, "filename": "b.png"}}},
		upload{"files[0]", "b.png", picture(t, 1, 1)}).ok(http.StatusOK)
}

func TestEmbedAttachments(t *testing.T) {
	r := newRig(t)
	got := r.post(r.channel(), body{"embeds": list{body{"image": body{"url": "attachment://a.png"}}}},
		upload{"files[0]", "a.png", picture(t, 30, 20)}, upload{"files[1]", "b.png", picture(t, 1, 1)}).ok(http.StatusOK)
	if names(t, got) != "b.png" || dig(t, got, "embeds", 0, "image", "width") != 30.0 {
		t.Errorf("attachments %q, embeds %v", names(t, got), got["embeds"])
	}
}
