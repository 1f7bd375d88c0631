package election

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var (
	config *rest.Config
	orders *http.Client
)

func TestMain(m *testing.M) {
	os.Exit(withServer(m.Run))
}

func withServer(run func() int) int {
	dir, err := os.MkdirTemp("", "lease-server-")
	must(err)
	defer os.RemoveAll(dir)
	kubeconfig := filepath.Join(dir, "kubeconfig")
	command := strings.Fields(os.Getenv("LEASE_TEST_SERVER"))
	if len(command) == 0 {
		command = []string{"lease-test-server"}
	}
	server := exec.Command(command[0], append(command[1:], "--kubeconfig-out="+kubeconfig)...)
	input, err := server.StdinPipe()
	must(err)
	output, err := server.StdoutPipe()
	must(err)
	server.Stderr = os.Stderr
	must(server.Start())
	defer server.Wait()
	defer input.Close()
	if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		panic("the lease server did not start")
	}
	config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	must(err)
	config.QPS = -1 // no limit of the client's own
	trust := x509.NewCertPool()
	trust.AppendCertsFromPEM(config.CAData)
	orders = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}}}
	return run()
}

func await(t *testing.T, event <-chan struct{}) {
	t.Helper()
	select {
	case <-event:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing happened for ten seconds")
	}
}

// order tells the server what is to happen; see docs/testing.md for all orders.
func order(t *testing.T, path, body string) {
	t.Helper()
	ask(t, http.MethodPost, path, body)
}

// ask has connections of its own, so that a fault that cuts one is not a fault for the test.
func ask(t *testing.T, method, path, body string) []byte {
	t.Helper()
	request, err := http.NewRequest(method, config.Host+"/testing/"+path, strings.NewReader(body))
	must(err)
	request.Header.Set("Authorization", "Bearer "+config.BearerToken)
	answer, err := orders.Do(request)
	must(err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	must(err)
	if answer.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, path, content)
	}
	return content
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
