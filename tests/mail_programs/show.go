// The standard library of Go. Paths in, one JSON line a message out.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"strings"
	"unicode/utf8"
)

type part struct {
	Type string `json:"type"`
	Name string `json:"name"`
	Text string `json:"text"`
}

// A header of a message or of a part.
type header interface{ Get(string) string }

const deepest = 50

func unwrapped(body io.Reader, transfer string) []byte {
	switch strings.ToLower(strings.TrimSpace(transfer)) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	content, _ := io.ReadAll(body)
	return content
}

func decoded(content []byte) string {
	if utf8.Valid(content) {
		return string(content)
	}
	letters := make([]rune, len(content))
	for at, value := range content {
		letters[at] = rune(value)
	}
	return string(letters)
}

func leaves(head header, body io.Reader, depth int, found *[]part) {
	if depth > deepest {
		return
	}
	kind, parameters, fault := mime.ParseMediaType(head.Get("Content-Type"))
	if fault != nil && kind == "" {
		kind = "text/plain"
	}
	if strings.HasPrefix(kind, "multipart/") && parameters["boundary"] != "" {
		reader := multipart.NewReader(body, parameters["boundary"])
		for {
			inner, fault := reader.NextRawPart()
			if fault != nil {
				return
			}
			leaves(inner.Header, inner, depth+1, found)
		}
	}
	content := unwrapped(body, head.Get("Content-Transfer-Encoding"))
	if kind == "message/rfc822" {
		if message, fault := mail.ReadMessage(bytes.NewReader(content)); fault == nil {
			leaves(message.Header, message.Body, depth+1, found)
			return
		}
	}
	name := parameters["name"]
	if _, said, fault := mime.ParseMediaType(head.Get("Content-Disposition")); fault == nil && said["filename"] != "" {
		name = said["filename"]
	}
	*found = append(*found, part{kind, name, decoded(content)})
}

func read(path string) (found []part) {
	found = []part{}
	defer func() { _ = recover() }()
	raw, _ := os.ReadFile(path)
	if message, fault := mail.ReadMessage(bytes.NewReader(raw)); fault == nil {
		leaves(message.Header, message.Body, 0, &found)
	}
	return found
}

func main() {
	paths := bufio.NewScanner(os.Stdin)
	for paths.Scan() {
		line, _ := json.Marshal(map[string]any{"file": paths.Text(), "program": "Go", "parts": read(paths.Text())})
		fmt.Println(string(line))
	}
}
