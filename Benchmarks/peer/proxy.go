// The reverse proxy that one would write instead of running `acct proxy`: Go's own, with one header field, or with a
// proof (RFC 9449) for each request. It keeps its key in memory as it is, renews nothing and stores nothing; it is
// here to be measured.
//
//	usage: peer dpop|bearer http://SERVER
//
// It prints its address, and serves until it is ended.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"
)

const token = "made-up-token"

var encode = base64.RawURLEncoding.EncodeToString

// The proof of one request.
func proof(key *ecdsa.PrivateKey, head, ath string, request *http.Request) (string, error) {
	jti := make([]byte, 16)
	if _, err := rand.Read(jti); err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{
		"jti": encode(jti), "htm": request.Method, "iat": time.Now().Unix(), "ath": ath,
		"htu": request.URL.Scheme + "://" + request.URL.Host + request.URL.Path,
	})
	if err != nil {
		return "", err
	}
	message := head + "." + encode(claims)
	hash := sha256.Sum256([]byte(message))
	r, s, err := ecdsa.Sign(rand.Reader, key, hash[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return message + "." + encode(signature), nil
}

func main() {
	server, err := url.Parse(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	x, y := make([]byte, 32), make([]byte, 32)
	head, err := json.Marshal(map[string]any{"typ": "dpop+jwt", "alg": "ES256", "jwk": map[string]string{
		"kty": "EC", "crv": "P-256", "x": encode(key.X.FillBytes(x)), "y": encode(key.Y.FillBytes(y)),
	}})
	if err != nil {
		log.Fatal(err)
	}
	hash := sha256.Sum256([]byte(token))
	proxy := httputil.NewSingleHostReverseProxy(server)
	forward := proxy.Director
	proxy.Director = func(request *http.Request) {
		forward(request)
		request.Host = server.Host
		if os.Args[1] == "bearer" {
			request.Header.Set("Authorization", "Bearer "+token)
			return
		}
		proof, err := proof(key, encode(head), encode(hash[:]), request)
		if err != nil {
			log.Fatal(err)
		}
		request.Header.Set("Authorization", "DPoP "+token)
		request.Header.Set("DPoP", proof)
	}
	// As many connections to the server are kept as acct keeps.
	proxy.Transport = &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, proxy))
}
