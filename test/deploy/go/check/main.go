// Reads manifests from stdin, JSON or YAML separated by ---, and decodes each into its declared type. Unknown fields, duplicate fields
// and values of the wrong type are printed, one per line, and make it exit with code 1.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	certmanager "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
)

func main() {
	scheme := runtime.NewScheme()
	utilruntime.Must(kubernetes.AddToScheme(scheme))
	utilruntime.Must(monitoring.AddToScheme(scheme))
	utilruntime.Must(certmanager.AddToScheme(scheme))
	utilruntime.Must(gateway.Install(scheme))
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()

	documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	valid, failed := 0, 0
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			_, _, err = decoder.Decode(document, nil, nil)
		}
		if err != nil {
			fmt.Printf("%v in:\n%s\n", err, document)
			failed++
			continue
		}
		valid++
	}
	fmt.Printf("%d valid, %d not\n", valid, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
