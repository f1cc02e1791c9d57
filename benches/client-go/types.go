package main

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Object of a custom resource. Its types have the fields of the definitions in ../crds, as those of
// the Rust programs.
type Object[S, T any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              S `json:"spec"`
	Status            T `json:"status,omitzero"`
}

// Objects is a list of custom resources.
type Objects[S, T any] struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Object[S, T] `json:"items"`
}

// DeepCopyObject is not called by an informer.
func (o *Object[S, T]) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject is not called by an informer.
func (o *Objects[S, T]) DeepCopyObject() runtime.Object { return copied(o) }

func copied[O any](object *O) *O {
	text, err := json.Marshal(object)
	must(err)
	var copied O
	must(json.Unmarshal(text, &copied))
	return &copied
}

type (
	// Certificate of cert-manager.
	Certificate = Object[CertificateSpec, CertificateStatus]
	// HTTPRoute of Gateway API.
	HTTPRoute = Object[HTTPRouteSpec, HTTPRouteStatus]
	// Application of Argo CD.
	Application = Object[ApplicationSpec, ApplicationStatus]
	// Thing is an object of one of many types.
	Thing = Object[ThingSpec, ThingStatus]
)

type Condition struct {
	LastTransitionTime string `json:"lastTransitionTime"`
	Message            string `json:"message"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	Reason             string `json:"reason"`
	Status             string `json:"status"`
	Type               string `json:"type"`
}

type NameValue struct {
	Name  string `json:"name"`
	Type  string `json:"type,omitempty"`
	Value string `json:"value"`
}

type CertificateSpec struct {
	CommonName           string          `json:"commonName,omitempty"`
	DNSNames             []string        `json:"dnsNames,omitempty"`
	Duration             string          `json:"duration,omitempty"`
	IPAddresses          []string        `json:"ipAddresses,omitempty"`
	IsCA                 bool            `json:"isCa,omitempty"`
	IssuerRef            IssuerRef       `json:"issuerRef"`
	PrivateKey           *PrivateKey     `json:"privateKey,omitempty"`
	RenewBefore          string          `json:"renewBefore,omitempty"`
	RevisionHistoryLimit *int32          `json:"revisionHistoryLimit,omitempty"`
	SecretName           string          `json:"secretName"`
	SecretTemplate       *SecretTemplate `json:"secretTemplate,omitempty"`
	Usages               []string        `json:"usages,omitempty"`
}

type IssuerRef struct {
	Group string `json:"group,omitempty"`
	Kind  string `json:"kind,omitempty"`
	Name  string `json:"name"`
}

type PrivateKey struct {
	Algorithm      string `json:"algorithm,omitempty"`
	Encoding       string `json:"encoding,omitempty"`
	RotationPolicy string `json:"rotationPolicy,omitempty"`
	Size           int64  `json:"size,omitempty"`
}

type SecretTemplate struct {
	Annotations map[string]string `json:"annotations,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
}

type CertificateStatus struct {
	Conditions  []Condition `json:"conditions,omitempty"`
	NotAfter    string      `json:"notAfter,omitempty"`
	NotBefore   string      `json:"notBefore,omitempty"`
	RenewalTime string      `json:"renewalTime,omitempty"`
	Revision    *int64      `json:"revision,omitempty"`
}

type HTTPRouteSpec struct {
	Hostnames  []string    `json:"hostnames,omitempty"`
	ParentRefs []ParentRef `json:"parentRefs,omitempty"`
	Rules      []Rule      `json:"rules,omitempty"`
}

type ParentRef struct {
	Group       string  `json:"group,omitempty"`
	Kind        string  `json:"kind,omitempty"`
	Name        string  `json:"name"`
	Namespace   *string `json:"namespace,omitempty"`
	Port        *int32  `json:"port,omitempty"`
	SectionName *string `json:"sectionName,omitempty"`
}

type Rule struct {
	BackendRefs []BackendRef      `json:"backendRefs,omitempty"`
	Filters     []Filter          `json:"filters,omitempty"`
	Matches     []Match           `json:"matches,omitempty"`
	Timeouts    map[string]string `json:"timeouts,omitempty"`
}

type BackendRef struct {
	Group     *string `json:"group,omitempty"`
	Kind      *string `json:"kind,omitempty"`
	Name      string  `json:"name"`
	Namespace *string `json:"namespace,omitempty"`
	Port      *int32  `json:"port,omitempty"`
	Weight    *int32  `json:"weight,omitempty"`
}

type Filter struct {
	Type                  string          `json:"type"`
	RequestHeaderModifier *HeaderModifier `json:"requestHeaderModifier,omitempty"`
}

type HeaderModifier struct {
	Add    []NameValue `json:"add,omitempty"`
	Remove []string    `json:"remove,omitempty"`
	Set    []NameValue `json:"set,omitempty"`
}

type Match struct {
	Headers     []NameValue `json:"headers,omitempty"`
	Method      *string     `json:"method,omitempty"`
	Path        *PathMatch  `json:"path,omitempty"`
	QueryParams []NameValue `json:"queryParams,omitempty"`
}

type PathMatch struct {
	Type  *string `json:"type,omitempty"`
	Value *string `json:"value,omitempty"`
}

type HTTPRouteStatus struct {
	Parents []RouteParent `json:"parents"`
}

type RouteParent struct {
	Conditions     []Condition `json:"conditions,omitempty"`
	ControllerName string      `json:"controllerName"`
	ParentRef      ParentRef   `json:"parentRef"`
}

type ApplicationSpec struct {
	Destination          Destination        `json:"destination"`
	IgnoreDifferences    []IgnoreDifference `json:"ignoreDifferences,omitempty"`
	Project              string             `json:"project"`
	RevisionHistoryLimit *int64             `json:"revisionHistoryLimit,omitempty"`
	Source               *Source            `json:"source,omitempty"`
	SyncPolicy           *SyncPolicy        `json:"syncPolicy,omitempty"`
}

type Destination struct {
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Server    string `json:"server,omitempty"`
}

type IgnoreDifference struct {
	Group        string   `json:"group,omitempty"`
	JSONPointers []string `json:"jsonPointers,omitempty"`
	Kind         string   `json:"kind"`
}

type Source struct {
	Chart          string `json:"chart,omitempty"`
	Helm           *Helm  `json:"helm,omitempty"`
	Path           string `json:"path,omitempty"`
	RepoURL        string `json:"repoURL"`
	TargetRevision string `json:"targetRevision,omitempty"`
}

type Helm struct {
	Parameters  []NameValue `json:"parameters,omitempty"`
	ReleaseName string      `json:"releaseName,omitempty"`
	ValueFiles  []string    `json:"valueFiles,omitempty"`
	Values      string      `json:"values,omitempty"`
}

type SyncPolicy struct {
	Automated   map[string]bool `json:"automated,omitempty"`
	SyncOptions []string        `json:"syncOptions,omitempty"`
}

type ApplicationStatus struct {
	Health       map[string]string `json:"health,omitempty"`
	History      []Revision        `json:"history,omitempty"`
	ReconciledAt string            `json:"reconciledAt,omitempty"`
	Resources    []ResourceStatus  `json:"resources,omitempty"`
	SourceType   string            `json:"sourceType,omitempty"`
	Summary      *Summary          `json:"summary,omitempty"`
	Sync         *SyncStatus       `json:"sync,omitempty"`
}

type Revision struct {
	DeployStartedAt string  `json:"deployStartedAt,omitempty"`
	DeployedAt      string  `json:"deployedAt"`
	ID              int64   `json:"id"`
	Revision        string  `json:"revision,omitempty"`
	Source          *Source `json:"source,omitempty"`
}

type ResourceStatus struct {
	Group     string            `json:"group,omitempty"`
	Health    map[string]string `json:"health,omitempty"`
	Kind      string            `json:"kind,omitempty"`
	Name      string            `json:"name,omitempty"`
	Namespace string            `json:"namespace,omitempty"`
	Status    string            `json:"status,omitempty"`
	Version   string            `json:"version,omitempty"`
}

type Summary struct {
	ExternalURLs []string `json:"externalURLs,omitempty"`
	Images       []string `json:"images,omitempty"`
}

type SyncStatus struct {
	Revision string `json:"revision,omitempty"`
	Status   string `json:"status"`
}

type ThingSpec struct {
	Replicas int32  `json:"replicas"`
	Image    string `json:"image"`
	Paused   *bool  `json:"paused,omitempty"`
}

type ThingStatus struct {
	Ready int32  `json:"ready"`
	Phase string `json:"phase"`
}
