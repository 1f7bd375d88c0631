package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
)

// discovery reads the discovery documents and schemas with client-go's parsers: OpenAPI 2 as protobuf, OpenAPI 3 per group.
func discovery(_ context.Context, client kubernetes.Interface, _ string) error {
	resources, err := client.Discovery().ServerPreferredResources()
	if err != nil {
		return err
	}
	for _, list := range resources {
		for _, resource := range list.APIResources {
			if resource.Kind == "Lease" {
				fmt.Println("resource", list.GroupVersion, resource.Name, resource.Verbs)
			}
		}
	}
	document, err := client.Discovery().OpenAPISchema()
	if err != nil {
		return err
	}
	for _, definition := range document.GetDefinitions().GetAdditionalProperties() {
		if definition.GetName() == "io.k8s.api.coordination.v1.LeaseSpec" {
			fmt.Println("definition", len(definition.GetValue().GetProperties().GetAdditionalProperties()))
		}
	}
	paths, err := client.Discovery().OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	schema, err := paths["apis/coordination.k8s.io/v1"].Schema("application/com.github.proto-openapi.spec.v3@v1.0+protobuf")
	if err != nil {
		return err
	}
	fmt.Println("v3", len(schema) > 0)
	return nil
}
