// Package clients tests the sandbox with bots in other libraries, unmodified and
// at pinned versions. docs/sandbox-clients.md has the results, and says how to
// point each library at the sandbox.
//
// The tests run if CASTELLAN_CLIENTS is 1. They need Node with npm, Debian's
// python3-discord and the Go module proxy.
//
// There is a small bot for each library, all with the same behaviour, so that
// one test drives them. A bot gets from its environment SANDBOX_API (such as
// http://127.0.0.1:8080/api), SANDBOX_TOKEN, SANDBOX_SHARDS (1 or 2) and
// SANDBOX_COMPRESS ("" for the library's default, "payload", "zlib-stream" or
// "zstd-stream"). It connects with the intents for guilds, members, messages with
// their content, reactions and direct messages, and the presence "idle", playing
// "in the sandbox". Then it overwrites its global commands:
//
//   - reply: answers "reply".
//   - defer: defers, edits the response to "deferred", and follows up privately
//     with "follow-up".
//   - buttons: answers "buttons" with an embed titled "embed" and a row of
//     buttons, update to later, in the styles 1 to 4, and a link. "update"
//     updates the message to "updated" without components; "defer-update" defers
//     and edits it to "edited later"; "answer" answers "answered"; "later" defers
//     and edits to "later".
//   - menus: answers "menus" with the selects string (a, b, c; at most two), user,
//     role, mentionable and channel. A select answers with its name and values:
//     "string: a,b".
//   - layout: answers with components v2: a container of two sections (one with
//     the thumbnail pixel.png, one with the button "press"), a separator, the text
//     "layout", a gallery of pixel.png, the file note.txt with "a note", and a row
//     with the select "string". "press" updates the message to the text "pressed".
//   - modal, labels, choices: open a modal with a text input, in a row if the
//     library has that; with labels for text, string, user, role and channel; with
//     labels for radio, group, checkbox and file. A modal answers with its values:
//     "modal: text=x", and several divided by semicolons. A file is its name.
//   - suggest: its option "what" suggests the text typed followed by 1 and 2. It
//     answers "suggest: " and the option.
//   - activity: launches the activity.
//   - options: answers with the options that are given: "options: text=a;whole=3".
//   - file: downloads its option "file" and answers "file" with a copy, copy.txt.
//   - thread: answers "thread", starts the thread "talk" from it, writes "first"
//     and "second", reads them back, and edits to "thread: first, second".
//   - direct: answers privately, and writes "in private" to the person.
//   - members: requests all members through the gateway and answers with the names
//     of people: "members: anna,ben".
//   - react: answers "react" and reacts to it with 👍.
//   - Inspect (a user's menu) answers "inspect: ben", Quote (a message's) "quote: "
//     and the text.
//
// It replies to the message "hello" with "hello anna", and when a person reacts
// writes "reaction: 👍 " and the person's id.
package clients
