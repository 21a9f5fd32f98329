// The server library of the Pusher HTTP API in Go, driven over HTTP: POST / with {"do": …}, answered in JSON.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

const (
	bodyLimitBytes = 1 << 20
	readLimit      = 10 * time.Second
)

type command struct {
	Do        string            `json:"do"`
	Options   options           `json:"options"`
	Method    string            `json:"method"`
	Arguments []json.RawMessage `json:"arguments"`
}

func do(response http.ResponseWriter, request *http.Request) (any, error) {
	if request.Method != http.MethodPost || request.URL.Path != "/" {
		return nil, errors.New("only POST / is answered")
	}
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bodyLimitBytes))
	if err != nil {
		return nil, err
	}
	if !json.Valid(body) {
		return nil, errors.New("the body is not JSON")
	}
	var given command
	if err := decode(body, &given); err != nil {
		return nil, err
	}
	switch given.Do {
	case "version":
		return map[string]string{"pusher": version()}, nil
	case "call":
		value, err := call(given.Options, given.Method, given.Arguments)
		return map[string]any{"value": value}, err
	}
	return nil, fmt.Errorf("nothing is called %q", given.Do)
}

func answer(response http.ResponseWriter, request *http.Request) {
	status := http.StatusOK
	value, err := do(response, request)
	if err != nil {
		status, value = http.StatusBadRequest, map[string]string{"error": err.Error()}
	}
	text, err := json.Marshal(value)
	if err != nil {
		log.Print(err)
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer has no JSON"}`)
	}
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	response.Write(text)
}

// Answers for ever on the port of the command line.
func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: driver <port>")
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(answer), ReadTimeout: readLimit}
	log.Fatal(server.Serve(listener))
}
