package discord

import (
	"context"
	"errors"
	"net/http"
)

// week is the longest time without a message after which Discord archives a
// thread, in minutes
// (https://docs.discord.com/developers/resources/channel#thread-metadata-object).
const week = 7 * 24 * 60

// StartThread makes a public thread on a message of a channel and returns its
// identifier, which is that of the message. A message has one thread at most:
// CodeThreadExists says that there is one
// (https://docs.discord.com/developers/resources/channel#start-thread-from-message).
func (c *Client) StartThread(ctx context.Context, channel, message, name string) (string, error) {
	in := struct {
		Name    string `json:"name"` // 1 to 100 characters
		Archive int    `json:"auto_archive_duration"`
	}{clip(name, 100), week}
	var out CreatedMessage
	err := c.send(ctx, limited, http.MethodPost, "/channels/"+channel+"/messages/"+message+"/threads", in, nil, &out)
	if err == nil && out.ID == "" {
		err = errors.New("the answer to a new thread names no thread")
	}
	return out.ID, err
}

// Unarchive takes a thread out of the archive, which needs leave to write in
// it; of a locked one, to manage threads.
func (c *Client) UnarchiveThread(ctx context.Context, thread string) error {
	in := struct {
		Archived bool `json:"archived"`
	}{false}
	return c.send(ctx, limited, http.MethodPatch, "/channels/"+thread, in, nil, nil)
}
