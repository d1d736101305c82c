package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Exchange is one request of a bot to Discord's REST API and its answer.
type Exchange struct {
	Method string
	// Route is the path below /api/vN, without a query: a template such as
	// "/channels/{channel_id}/messages", whatever its parameters are called,
	// or a path with the values in it.
	Route string
	// RequestJSON is the body, or the part payload_json of a multipart body;
	// empty when the request had none.
	RequestJSON []byte
	HasFiles    bool // the body was multipart/form-data
	Status      int
	// ResponseBody is the whole body of the answer.
	ResponseBody []byte
}

// Fault is one difference between an exchange and the description.
type Fault struct {
	Key     string // method and route, with the callback type where there is one
	Part    string // "request" or "answer 200"
	Pointer string // JSON pointer (RFC 6901) into the body; "" is the whole body
	Problem string
}

// Error is a line that says where the fault is and what it is.
func (f *Fault) Error() string {
	where := f.Pointer
	if where == "" {
		where = "whole body"
	}
	return fmt.Sprintf("%s: %s: %s: %s", f.Key, f.Part, where, f.Problem)
}

// Oracle holds one description and the tally of what was checked against it.
// Its methods may be called at the same time from several goroutines.
type Oracle struct {
	routes []route
	doc    map[string]any

	compiling sync.Mutex
	compiler  *jsonschema.Compiler
	schemas   map[string]*jsonschema.Schema // by JSON pointer into the description

	counting sync.Mutex
	tally    tally
}

// documentURL is the name under which the compiler knows the description.
const documentURL = "discord:///openapi.json"

// New reads a description. It compiles no schema yet: each is compiled when it
// is first needed.
func New(description io.Reader) (*Oracle, error) {
	value, err := jsonschema.UnmarshalJSON(description)
	if err != nil {
		return nil, fmt.Errorf("reading the API description: %w", err)
	}
	doc, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("the API description is no JSON object")
	}
	routes, err := routesOf(doc)
	if err != nil {
		return nil, fmt.Errorf("reading the API description: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020) // the dialect of OpenAPI 3.1
	compiler.AssertFormat()
	for _, f := range formats() {
		compiler.RegisterFormat(f)
	}
	if err := compiler.AddResource(documentURL, value); err != nil {
		return nil, fmt.Errorf("reading the API description: %w", err)
	}
	return &Oracle{
		routes:   routes,
		doc:      doc,
		compiler: compiler,
		schemas:  map[string]*jsonschema.Schema{},
		tally:    newTally(),
	}, nil
}

// Check returns the faults of an exchange, each a *[Fault], and counts it. No
// fault means that both bodies are what the description says.
func (o *Oracle) Check(x Exchange) []error {
	r, ok := o.find(x.Method, x.Route)
	if !ok {
		key := strings.ToUpper(x.Method) + " " + x.Route
		return []error{&Fault{Key: key, Part: "request", Problem: "the description has no such operation"}}
	}
	key := keyOf(r, x.RequestJSON)
	faults := o.checkRequest(key, r, x)
	more, outcome := o.checkAnswer(key, r, x)
	faults = append(faults, more...)

	o.counting.Lock()
	o.tally.add(key, x.HasFiles, x.Status, outcome)
	o.counting.Unlock()

	errs := make([]error, len(faults))
	for i, f := range faults {
		errs[i] = f
	}
	return errs
}

func (o *Oracle) checkRequest(key string, r route, x Exchange) []*Fault {
	whole := func(format string, args ...any) []*Fault {
		return []*Fault{{Key: key, Part: "request", Problem: fmt.Sprintf(format, args...)}}
	}
	empty := len(bytes.TrimSpace(x.RequestJSON)) == 0
	body, described := member(r.operation, "requestBody").(map[string]any)
	if !described {
		if !empty || x.HasFiles {
			return whole("the operation takes no body")
		}
		return nil
	}
	if x.HasFiles && member(body, "content", multipart) == nil {
		return whole("the operation takes no files")
	}
	if empty {
		if required, _ := body["required"].(bool); required && !x.HasFiles {
			return whole("the operation needs a body")
		}
		return nil
	}
	// The JSON part of a multipart body has the schema of the plain body: the
	// description's multipart schema only adds the files beside it.
	if member(body, "content", plain, "schema") == nil {
		return whole("the operation takes no JSON")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(x.RequestJSON))
	if err != nil {
		return whole("not JSON: %v", err)
	}
	schema, err := o.schema(r.pointer.append("requestBody", "content", plain, "schema"))
	if err != nil {
		return whole("%v", err)
	}
	faults := invalid(schema, value)
	for _, at := range unknownFields(schema, value) {
		faults = append(faults, &Fault{Pointer: at.String(), Problem: "unknown field"})
	}
	return label(faults, key, "request")
}

// outcome says what became of an answer.
type outcome struct {
	checked bool      // the answer was held against a description of it
	unknown []pointer // fields that the description does not have
}

func (o *Oracle) checkAnswer(key string, r route, x Exchange) ([]*Fault, outcome) {
	part := fmt.Sprintf("answer %d", x.Status)
	whole := func(format string, args ...any) ([]*Fault, outcome) {
		return []*Fault{{Key: key, Part: part, Problem: fmt.Sprintf(format, args...)}}, outcome{checked: true}
	}
	at, answer := o.answer(r, x.Status)
	if answer == nil {
		if x.Status >= http.StatusInternalServerError {
			// Failures of Discord's own machines are not described.
			return nil, outcome{}
		}
		return whole("the description has no such status")
	}
	empty := len(bytes.TrimSpace(x.ResponseBody)) == 0
	if member(answer, "content") == nil {
		if !empty {
			return whole("the body must be empty")
		}
		return nil, outcome{checked: true}
	}
	if empty {
		return whole("the body is empty")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(x.ResponseBody))
	if err != nil {
		return whole("not JSON: %v", err)
	}
	schema, err := o.schema(at.append("content", plain, "schema"))
	if err != nil {
		return whole("%v", err)
	}
	unknown := unknownFields(schema, value)
	return label(invalid(schema, value), key, part), outcome{checked: true, unknown: unknown}
}

// schema is the compiled schema at a place of the description.
func (o *Oracle) schema(at pointer) (*jsonschema.Schema, error) {
	o.compiling.Lock()
	defer o.compiling.Unlock()
	name := at.String()
	if s, ok := o.schemas[name]; ok {
		return s, nil
	}
	s, err := o.compiler.Compile(documentURL + "#" + fragment(name))
	if err != nil {
		return nil, fmt.Errorf("compiling the schema at %s: %w", name, err)
	}
	o.schemas[name] = s
	return s, nil
}

func label(faults []*Fault, key, part string) []*Fault {
	for _, f := range faults {
		f.Key, f.Part = key, part
	}
	return faults
}

// keyOf is the name under which an exchange is counted: method and the
// description's route, and for an answer to an interaction the callback type.
func keyOf(r route, request []byte) string {
	if r.template != callbackRoute {
		return r.key()
	}
	var callback struct {
		Type json.Number `json:"type"`
	}
	if err := json.Unmarshal(request, &callback); err != nil || callback.Type == "" {
		return r.key()
	}
	return r.key() + " type " + callback.Type.String()
}
