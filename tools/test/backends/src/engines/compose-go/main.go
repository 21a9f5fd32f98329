// The loader of the Compose specification, driven over HTTP: POST / with {"do": "load", "path": …}.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
)

type question struct {
	Do   string            `json:"do"`
	Path string            `json:"path"`
	Env  map[string]string `json:"env"`
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// load reads a compose file as the tool itself would, with the given variables only.
func load(asked question) (any, error) {
	env := []string{}
	for name, value := range asked.Env {
		env = append(env, name+"="+value)
	}
	options, err := cli.NewProjectOptions([]string{asked.Path},
		cli.WithEnv(env), cli.WithWorkingDirectory(filepath.Dir(asked.Path)), cli.WithResolvedPaths(true))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(context.Background())
}

func main() {
	handle := func(w http.ResponseWriter, r *http.Request) {
		var asked question
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			answer(w, 400, map[string]string{"error": err.Error()})
			return
		}
		if asked.Do == "version" {
			answer(w, 200, map[string]string{"compose": "v2"})
			return
		}
		project, err := load(asked)
		if err != nil {
			answer(w, 400, map[string]string{"error": err.Error()})
			return
		}
		answer(w, 200, project)
	}
	if err := http.ListenAndServe("127.0.0.1:"+os.Args[len(os.Args)-1], http.HandlerFunc(handle)); err != nil {
		panic(err)
	}
}
