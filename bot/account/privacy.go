package account

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

// formerName is the name of people whose data was deleted.
const formerName = "a former player"

// maxBlocks limits how many others a person can block.
const maxBlocks = 200

// ErrTooManyBlocks reports that a person has blocked as many as they may.
var ErrTooManyBlocks = errors.New("the person has blocked too many others")

// Summary says what is stored about a person.
type Summary struct {
	Running, Ended int // matches
	Challenges     int // open ones: their own, and those in which they have a seat
	// Rows counts what Export contains, by table. It has no tables without rows.
	Rows map[string]int
}

// Summary says what is stored about a person.
func (s *Service) Summary(ctx context.Context, person string) (Summary, error) {
	return host.Report(ctx, s.host, func(r storage.Reader) (Summary, error) {
		running, err1 := r.CountRunning(person)
		_, ended, err2 := r.EndedMatches(person, 0, 0)
		rows, err3 := r.PersonCounts(person)
		open, err4 := r.OpenChallenges(person)
		return Summary{Running: running, Ended: ended, Challenges: len(open), Rows: rows}, errors.Join(err1, err2, err3, err4)
	})
}

// ExportVersion is the version of the format of Export. It is raised
// when a field changes its meaning. New tables and columns do not raise it.
const ExportVersion = 1

// Export returns everything that is kept about a person as a JSON document: for
// each table of the database a list of rows, with times as in RFC 3339.
func (s *Service) Export(ctx context.Context, p storage.Person) ([]byte, error) {
	all, err := host.Report(ctx, s.host, func(r storage.Reader) ([]storage.PersonTable, error) { return r.PersonData(p.ID) })
	if err != nil {
		return nil, err
	}
	tables := map[string][]map[string]any{}
	for _, t := range all {
		tables[t.Name] = t.Rows
	}
	data, err := json.MarshalIndent(struct {
		Format  string                      `json:"format"`
		Version int                         `json:"version"`
		At      time.Time                   `json:"at"`
		Person  map[string]string           `json:"person"`
		Tables  map[string][]map[string]any `json:"tables"`
	}{"castellan-person", ExportVersion, s.host.Now(), map[string]string{"id": p.ID, "name": p.Name}, tables}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("exporting the data of a person: %w", err)
	}
	return data, nil
}

// Forget deletes everything that is kept about a person, in one transaction. Their
// matches are resigned and their challenges withdrawn. What remains in finished
// matches, results and ratings belongs to a former player, whose identifier says
// nothing about the person.
func (s *Service) Forget(ctx context.Context, a host.Actor) error {
	defer s.preferences.forget(a.Person.ID)
	return s.host.Write(ctx, func(tx storage.Tx) error {
		err := tx.MarkProcessed(storage.ProcessedInteraction{Interaction: a.Interaction, At: s.host.Now()})
		if errors.Is(err, storage.ErrAlreadyProcessed) {
			return nil
		}
		if err == nil {
			err = s.host.LeaveAll(tx, a)
		}
		if err != nil {
			return err
		}
		former := storage.Person{ID: storage.FormerPrefix + rand.Text(), Name: formerName}
		return tx.ForgetPerson(a.Person.ID, former, s.host.Now())
	})
}

// Blocks returns whom a person has blocked, longest first.
func (s *Service) Blocks(ctx context.Context, person string) ([]storage.Block, error) {
	return read(ctx, s.host, func(r storage.PeopleReader) ([]storage.Block, error) { return r.Blocks(person) })
}

// Block keeps another from challenging a person and from playing at their tables,
// and the person from doing so with the other. Matches that are running go on. It
// fails with ErrTooManyBlocks.
func (s *Service) Block(ctx context.Context, person string, other storage.Person) error {
	return write(ctx, s.host, func(tx storage.PeopleStore) error {
		blocks, err := tx.Blocks(person)
		if err == nil && len(blocks) >= maxBlocks {
			err = ErrTooManyBlocks
		}
		if err != nil {
			return err
		}
		return tx.SetBlock(storage.Block{Person: person, Blocked: storage.Person{ID: other.ID, Name: other.Name}, At: s.host.Now()})
	})
}

// Unblock removes a block, if there is one.
func (s *Service) Unblock(ctx context.Context, person, other string) error {
	return write(ctx, s.host, func(tx storage.PeopleStore) error { return tx.DeleteBlock(person, other) })
}
