package main

import (
	"context"
	"fmt"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/gentype"
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

// Creates the informer of a resource.
type create func(*Resource) (cache.SharedIndexInformer, error)

// start creates an informer of each resource and runs it until the process ends.
func (r *Run) start(resources []Resource) ([]Informer, error) {
	config := &rest.Config{Host: "http://" + r.control.server, QPS: -1}
	if strings.Contains(r.peer, "protobuf") {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	} else {
		config.ContentType = "application/json"
	}
	create, err := r.informers(config, &resources[0])
	if err != nil {
		return nil, err
	}
	var all []Informer
	for at := range resources {
		shared, err := create(&resources[at])
		if err != nil {
			return nil, err
		}
		informer, err := r.follow(shared)
		if err != nil {
			return nil, err
		}
		all = append(all, informer)
	}
	for _, informer := range all {
		go informer.RunWithContext(context.Background())
	}
	return all, nil
}

// informers returns how informers of this and similar resources are created: with the types of
// built-in kinds or of this program, or with the dynamic client.
func (r *Run) informers(config *rest.Config, like *Resource) (create, error) {
	if like.Group == "" {
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		factory := informers.NewSharedInformerFactory(client, 0)
		return func(resource *Resource) (cache.SharedIndexInformer, error) {
			generic, err := factory.ForResource(resource.gvr())
			if err != nil {
				return nil, err
			}
			return generic.Informer(), nil
		}, nil
	}
	if !strings.Contains(r.peer, "dynamic") {
		switch like.Kind {
		case "Certificate":
			return typed[CertificateSpec, CertificateStatus](config)
		case "HTTPRoute":
			return typed[HTTPRouteSpec, HTTPRouteStatus](config)
		case "Application":
			return typed[ApplicationSpec, ApplicationStatus](config)
		case "Thing":
			return typed[ThingSpec, ThingStatus](config)
		}
		return nil, fmt.Errorf("this program has no type for %s", like.Kind)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	return func(resource *Resource) (cache.SharedIndexInformer, error) {
		return factory.ForResource(resource.gvr()).Informer(), nil
	}, nil
}

// typed returns how informers of a custom resource are created, as generated code does.
func typed[S, T any](config *rest.Config) (create, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return func(resource *Resource) (cache.SharedIndexInformer, error) {
		scheme := runtime.NewScheme()
		version := schema.GroupVersion{Group: resource.Group, Version: resource.Version}
		scheme.AddKnownTypeWithName(version.WithKind(resource.Kind), &Object[S, T]{})
		scheme.AddKnownTypeWithName(version.WithKind(resource.Kind+"List"), &Objects[S, T]{})
		metav1.AddToGroupVersion(scheme, version)
		own := rest.CopyConfig(config)
		own.GroupVersion = &version
		own.APIPath = "/apis"
		own.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
		rest, err := rest.RESTClientForConfigAndClient(own, client)
		if err != nil {
			return nil, err
		}
		newObject := func() *Object[S, T] { return &Object[S, T]{} }
		newList := func() *Objects[S, T] { return &Objects[S, T]{} }
		parameters := runtime.NewParameterCodec(scheme)
		objects := gentype.NewClientWithList(resource.Plural, rest, parameters, "", newObject, newList)
		listWatch := &cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				return objects.List(ctx, options)
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return objects.Watch(ctx, options)
			},
		}
		indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
		return cache.NewSharedIndexInformer(listWatch, newObject(), 0, indexers), nil
	}, nil
}

// follow adds a handler that counts, and the transform that controller-runtime has for users who do
// not read managedFields.
func (r *Run) follow(informer cache.SharedIndexInformer) (Informer, error) {
	if strings.Contains(r.peer, "stripped") {
		if err := informer.SetTransform(stripManagedFields); err != nil {
			return Informer{}, err
		}
	}
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { r.tally.Increment() },
		UpdateFunc: func(any, any) { r.tally.Increment() },
		DeleteFunc: func(any) { r.tally.Increment() },
	})
	return Informer{informer, registration}, err
}

func stripManagedFields(object any) (any, error) {
	if accessor, err := apimeta.Accessor(object); err == nil && accessor.GetManagedFields() != nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}
