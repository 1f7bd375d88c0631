// Go's HTTP/2 server over TLS, the reference of the tests in test/http2. Prints its port. Its handler equals responder.ts.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

const (
	largeBytes   = 100_000
	maxBodyBytes = 1 << 20
)

func respond(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	switch r.RequestURI {
	case "/hold":
		<-r.Context().Done()
	case "/large":
		io.WriteString(w, strings.Repeat("x", largeBytes))
	case "/early":
		fmt.Fprintf(w, "%s %s", r.Method, r.RequestURI)
	default:
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			io.WriteString(w, "the body is too large")
			return
		}
		fmt.Fprintf(w, "%s %s %d", r.Method, r.RequestURI, len(body))
	}
}

func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		log.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	// The process ends with its parent, which holds the other end of stdin.
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{
		Handler:   http.HandlerFunc(respond),
		ErrorLog:  log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate()}},
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: 100, MaxReadFrameSize: 16384, MaxReceiveBufferPerStream: 65535},
	}
	log.Fatal(server.ServeTLS(listener, "", ""))
}
