package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/pusher/pusher-http-go/v5"
)

const (
	module    = "github.com/pusher/pusher-http-go/v5"
	callLimit = 10 * time.Second
)

// What may be called. The arguments are those of the library, in its order and with its names of fields.
var methods = map[string]bool{
	"Trigger":                  true,
	"TriggerMulti":             true,
	"TriggerMultiWithParams":   true,
	"TriggerBatch":             true,
	"SendToUser":               true,
	"Channels":                 true,
	"Channel":                  true,
	"GetChannelUsers":          true,
	"AuthorizePrivateChannel":  true,
	"AuthorizePresenceChannel": true,
	"AuthenticateUser":         true,
	"Webhook":                  true,
}

type options struct {
	AppID                     string `json:"app_id"`
	Key                       string `json:"key"`
	Secret                    string `json:"secret"`
	Host                      string `json:"host"`
	Port                      int    `json:"port"`
	EncryptionMasterKeyBase64 string `json:"encryption_master_key_base64"`
}

// A library of its own for each call, which leaves no connection open.
func (options options) library() *pusher.Client {
	return &pusher.Client{
		AppID:                     options.AppID,
		Key:                       options.Key,
		Secret:                    options.Secret,
		Host:                      net.JoinHostPort(options.Host, strconv.Itoa(options.Port)),
		EncryptionMasterKeyBase64: options.EncryptionMasterKeyBase64,
		HTTPClient: &http.Client{
			Timeout:   callLimit,
			Transport: &http.Transport{DisableKeepAlives: true},
		},
	}
}

// Calls the method of a library with these options; without a value of its own it returns nil.
func call(options options, name string, arguments []json.RawMessage) (value any, err error) {
	// The library panics on some arguments: on an empty list of channels, for one.
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%s panicked: %v", name, reason)
		}
	}()
	if !methods[name] {
		return nil, fmt.Errorf("no method %s", name)
	}
	method := reflect.ValueOf(options.library()).MethodByName(name)
	if wanted := method.Type().NumIn(); len(arguments) != wanted {
		return nil, fmt.Errorf("%s takes %d arguments, %d given", name, wanted, len(arguments))
	}
	given := make([]reflect.Value, len(arguments))
	for index, argument := range arguments {
		if given[index], err = decoded(argument, method.Type().In(index)); err != nil {
			return nil, fmt.Errorf("argument %d of %s: %w", index+1, name, err)
		}
	}
	results := method.Call(given)
	if err, failed := results[len(results)-1].Interface().(error); failed {
		return nil, err
	}
	if len(results) == 1 {
		return nil, nil
	}
	value = results[0].Interface()
	// Bytes that the library returns are JSON for the client that asked for a signature.
	if text, isText := value.([]byte); isText {
		value = json.RawMessage(text)
	}
	return value, nil
}

// The argument as the type that the library wants; bytes are given as text.
func decoded(argument json.RawMessage, wanted reflect.Type) (reflect.Value, error) {
	if wanted == reflect.TypeOf([]byte(nil)) {
		var text string
		err := decode(argument, &text)
		return reflect.ValueOf([]byte(text)), err
	}
	value := reflect.New(wanted)
	err := decode(argument, value.Interface())
	return value.Elem(), err
}

// Members that nobody knows are refused, and numbers keep their digits.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	return decoder.Decode(into)
}

// The version of the library that this program was built with.
func version() string {
	if build, known := debug.ReadBuildInfo(); known {
		for _, dependency := range build.Deps {
			if dependency.Path == module {
				return dependency.Version
			}
		}
	}
	return "unknown"
}
