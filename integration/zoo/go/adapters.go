package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/avast/retry-go/v4"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cenkalti/backoff/v4"
	"github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-retryablehttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

// The service's address, the method, and the client's time-out (0: the library's own).
type ask struct {
	url, method string
	timeout     time.Duration
}

func (a ask) path() string {
	if a.method == http.MethodPost {
		return a.url + "/items"
	}
	return a.url + "/items/lamp"
}

func (a ask) body() string {
	if a.method == http.MethodGet || a.method == http.MethodDelete {
		return ""
	}
	return `{"name":"lamp"}`
}

// The call that users of net/http write: a status from 400 on is an error.
func do(client *http.Client, a ask) error {
	var body io.Reader
	if a.body() != "" {
		body = strings.NewReader(a.body())
	}
	request, err := http.NewRequest(a.method, a.path(), body)
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return read(client.Do(request))
}

func read(response *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err = io.ReadAll(response.Body); err != nil {
		return err
	}
	if response.StatusCode >= 400 {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return nil
}

func plain(a ask) *http.Client { return &http.Client{Timeout: a.timeout} }

var clients = map[string]func(ask) error{
	"net/http": func(a ask) error { return do(plain(a), a) },
	"hashicorp/go-retryablehttp": func(a ask) error {
		client := retryablehttp.NewClient()
		client.Logger = nil
		client.HTTPClient.Timeout = a.timeout
		request, err := retryablehttp.NewRequest(a.method, a.path(), []byte(a.body()))
		if err != nil {
			return err
		}
		return read(client.Do(request))
	},
	"cenkalti/backoff": func(a ask) error {
		return backoff.Retry(func() error { return do(plain(a), a) }, backoff.NewExponentialBackOff())
	},
	"cenkalti/backoff, constant 1 s": func(a ask) error {
		return backoff.Retry(func() error { return do(plain(a), a) }, backoff.WithMaxRetries(backoff.NewConstantBackOff(time.Second), 5))
	},
	"avast/retry-go": func(a ask) error { return retry.Do(func() error { return do(plain(a), a) }) },
	"go-resty, SetRetryCount(3)": func(a ask) error {
		request := resty.New().SetRetryCount(3).SetTimeout(a.timeout).R()
		if a.body() != "" {
			request.SetHeader("Content-Type", "application/json").SetBody(a.body())
		}
		_, err := request.Execute(a.method, a.path())
		return err
	},
	"aws-sdk-go-v2 S3": func(a ask) error {
		client := s3.New(s3.Options{Region: "us-east-1", BaseEndpoint: &a.url, UsePathStyle: true, HTTPClient: plain(a),
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "example"}, nil
			})})
		bucket, key := aws.String("shelf"), aws.String("lamp")
		var err error
		switch a.method {
		case http.MethodPost:
			_, err = client.CreateMultipartUpload(context.Background(), &s3.CreateMultipartUploadInput{Bucket: bucket, Key: key})
		case http.MethodPut:
			_, err = client.PutObject(context.Background(), &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("light")})
		default:
			var got *s3.GetObjectOutput
			if got, err = client.GetObject(context.Background(), &s3.GetObjectInput{Bucket: bucket, Key: key}); err == nil {
				_, err = io.ReadAll(got.Body)
			}
		}
		return err
	},
	"grpc-go (retryPolicy)": func(a ask) error {
		policy := `{"methodConfig":[{"name":[{"service":"zoo.Items"}],"retryPolicy":{"maxAttempts":4,"initialBackoff":"0.1s","maxBackoff":"1s","backoffMultiplier":2,"retryableStatusCodes":["UNAVAILABLE"]}}]}`
		connection, err := grpc.NewClient(strings.TrimPrefix(a.url, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(policy))
		if err != nil {
			return err
		}
		defer connection.Close()
		ctx := context.Background()
		if a.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, a.timeout)
			defer cancel()
		}
		return connection.Invoke(ctx, "/zoo.Items/Add", &emptypb.Empty{}, &emptypb.Empty{})
	},
}
