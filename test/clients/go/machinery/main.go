// machinery exercises the machinery of client-go: typed requests, informers, apply configurations, paged lists and discovery, in
// the content type of the flag. It prints one line per fact and exits with code 1 at the first failure.
//
//	machinery --kubeconfig=FILE --content-type=application/json COMMAND NAMESPACE
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

type command func(ctx context.Context, client kubernetes.Interface, namespace string) error

var commands = map[string]command{"roundtrip": roundtrip, "informer": informer, "apply": apply, "pages": pages, "discovery": discovery}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig")
	contentType := flag.String("content-type", "application/json", "what is sent and asked for")
	flag.Parse()
	run, known := commands[flag.Arg(0)]
	if !known || flag.NArg() != 2 {
		fail(fmt.Errorf("usage: machinery FLAGS COMMAND NAMESPACE"))
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fail(err)
	}
	config.ContentType = *contentType
	config.AcceptContentTypes = *contentType
	record := newRecord()
	config.Wrap(record.wrap)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fail(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: flag.Arg(1)}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		fail(err)
	}
	if err := run(ctx, client, namespace.Name); err != nil {
		fail(err)
	}
	record.print()
	fmt.Println("done")
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}
