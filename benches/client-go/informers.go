package main

import (
	"strings"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Informer with one handler.
type Informer struct {
	cache.SharedIndexInformer
	registration cache.ResourceEventHandlerRegistration
}

// start creates an informer of each resource and runs it until the process ends: of built-in kinds
// with their types, of custom resources with the dynamic client.
func (r *Run) start(resources []Resource) ([]Informer, error) {
	config := &rest.Config{Host: "http://" + r.control.server, QPS: -1}
	if strings.Contains(r.peer, "protobuf") {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	} else {
		config.ContentType = "application/json"
	}
	if resources[0].Group == "" {
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		factory := informers.NewSharedInformerFactory(client, 0)
		generic, err := factory.ForResource(resources[0].gvr())
		if err != nil {
			return nil, err
		}
		informer, err := r.follow(generic.Informer())
		factory.Start(make(chan struct{}))
		return []Informer{informer}, err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	var all []Informer
	for _, resource := range resources {
		informer, err := r.follow(factory.ForResource(resource.gvr()).Informer())
		if err != nil {
			return nil, err
		}
		all = append(all, informer)
	}
	factory.Start(make(chan struct{}))
	return all, nil
}

// follow adds a handler that counts.
func (r *Run) follow(informer cache.SharedIndexInformer) (Informer, error) {
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { r.tally.Increment() },
		UpdateFunc: func(any, any) { r.tally.Increment() },
		DeleteFunc: func(any) { r.tally.Increment() },
	})
	return Informer{informer, registration}, err
}
