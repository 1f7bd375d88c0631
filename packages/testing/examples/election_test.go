package election

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const leaseDuration = time.Second

var config *rest.Config

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
	return run()
}

func TestLostWhileWorking(t *testing.T) {
	a := candidate(t, "a")
	await(t, a.leads)
	order(t, "leases/take-over", `{"name":"worker","holder":"somebody-else"}`)
	await(t, a.stopped)
}

func TestSlowRenewal(t *testing.T) {
	a := candidate(t, "a")
	await(t, a.leads)
	began := time.Now()
	order(t, "faults", `{"verb":"update","resource":"leases","name":"worker","hang":true,"count":100}`)
	await(t, a.stopped)
	if led := time.Since(began); led > leaseDuration {
		t.Errorf("led for %v without a renewal: another candidate may lead by then", led)
	}
}

func TestTwoCandidates(t *testing.T) {
	a := candidate(t, "a")
	await(t, a.leads)
	b := candidate(t, "b")
	a.stop()
	await(t, a.stopped)
	await(t, b.leads)
}

func TestRestart(t *testing.T) {
	order(t, "leases/take-over", `{"name":"worker","holder":"a"}`)
	await(t, candidate(t, "a").leads)
}

func TestRefusal(t *testing.T) {
	a := candidate(t, "a")
	await(t, a.leads)
	for _, fault := range []string{`"status":409`, `"status":503,"retryAfter":0`, `"cut":"after"`} {
		order(t, "faults", `{"verb":"update","resource":"leases","name":"worker",`+fault+`}`)
	}
	for {
		var faults []any
		must(json.Unmarshal(get(t, "faults"), &faults))
		if len(faults) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
	select {
	case <-a.stopped:
		t.Error("it stopped leading, although every refusal could be tried again")
	default:
	}
}

type elector struct {
	leads, stopped chan struct{}
	stop           context.CancelFunc
}

// candidate starts an elector as in production, only faster, and stops it at the end of the test.
func candidate(t *testing.T, identity string) elector {
	ctx, stop := context.WithCancel(context.Background())
	e := elector{leads: make(chan struct{}), stopped: make(chan struct{}), stop: stop}
	client := kubernetes.NewForConfigOrDie(rest.AddUserAgent(config, identity))
	leader, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: "default", Name: "worker"},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		LeaseDuration:   leaseDuration,
		RenewDeadline:   400 * time.Millisecond,
		RetryPeriod:     50 * time.Millisecond,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(e.leads) },
			OnStoppedLeading: func() { close(e.stopped) },
		},
	})
	must(err)
	go leader.Run(ctx)
	t.Cleanup(func() {
		order(t, "reset", "{}") // so that the elector can let go
		stop()
		<-e.stopped
		order(t, "reset", "{}")
	})
	return e
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
	client := kubernetes.NewForConfigOrDie(config).RESTClient()
	err := client.Post().AbsPath("/testing/"+path).SetHeader("Content-Type", "application/json").
		Body(bytes.NewBufferString(body)).Do(context.Background()).Error()
	if err != nil {
		t.Fatal(fmt.Errorf("order %s: %w", path, err))
	}
}

func get(t *testing.T, path string) []byte {
	t.Helper()
	answer, err := kubernetes.NewForConfigOrDie(config).RESTClient().Get().AbsPath("/testing/" + path).DoRaw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
