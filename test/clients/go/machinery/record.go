package main

import (
	"fmt"
	"net/http"
	"sort"
	"sync"
)

// record notes the content types on the wire and the requested watches.
type record struct {
	mutex sync.Mutex
	lines map[string]bool
}

func newRecord() *record { return &record{lines: map[string]bool{}} }

func (r *record) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err == nil {
			r.note(request, response)
		}
		return response, err
	})
}

func (r *record) note(request *http.Request, response *http.Response) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if sent := request.Header.Get("Content-Type"); sent != "" {
		r.lines["sent "+sent] = true
	}
	r.lines["received "+response.Header.Get("Content-Type")] = true
	if request.URL.Query().Get("watch") != "" {
		r.lines["watch sendInitialEvents="+request.URL.Query().Get("sendInitialEvents")] = true
	}
}

func (r *record) print() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	sorted := make([]string, 0, len(r.lines))
	for line := range r.lines {
		sorted = append(sorted, line)
	}
	sort.Strings(sorted)
	for _, line := range sorted {
		fmt.Println(line)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
