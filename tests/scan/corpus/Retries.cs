// Right and wrong retry code. `// retry: BOUND WAIT` stands where a location begins; everything else is none.
using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Threading.Tasks;

class Retries
{
    async Task<string> Right(HttpClient client, string url)
    {
        for (int attempt = 0; attempt < 5; attempt++) // retry: count growing
        {
            try
            {
                return await client.GetStringAsync(url);
            }
            catch (HttpRequestException)
            {
                if (attempt == 4) throw;
                await Task.Delay(TimeSpan.FromMilliseconds(Math.Pow(2, attempt) * 100));
            }
        }
        throw new TimeoutException(url);
    }

    async Task<string> ForEver(HttpClient client, string url)
    {
        while (true) // retry: none fixed
        {
            try
            {
                return await client.GetStringAsync(url);
            }
            catch (Exception)
            {
                await Task.Delay(1000);
            }
        }
    }

    async Task<HttpResponseMessage> Tight(HttpClient client, string url)
    {
        int tries = 0;
        do // retry: count none
        {
            try
            {
                return await client.PostAsync(url, null);
            }
            catch (HttpRequestException)
            {
                tries++;
            }
        } while (tries < 3);
        return null;
    }

    async Task<string> Guarded(HttpClient client, string url)
    {
        for (var attempt = 1; ; attempt++) // retry: count growing
        {
            try
            {
                return await client.GetStringAsync(url);
            }
            catch (HttpRequestException e) when (attempt < 4 && e.StatusCode >= HttpStatusCode.InternalServerError)
            {
                await Task.Delay(100 << attempt);
            }
        }
    }

    async Task Supervised(Uri uri, CancellationToken ct)
    {
        while (!ct.IsCancellationRequested) // retry: caller fixed
        {
            try
            {
                await ConnectAsync(uri, ct);
                await PumpAsync(ct);
            }
            catch (IOException e)
            {
                Console.WriteLine(e);
            }
            await Task.Delay(1000, ct);
        }
    }

    static T Again<T>(Func<T> call, int times)
    {
        var errors = 0;
        Start:
        try
        {
            return call();
        }
        catch (IOException) when (++errors <= times)
        {
            Thread.Sleep(50);
            goto Start; // retry: count fixed
        }
    }

    void Policies(IServiceCollection services)
    {
        var twice = Policy.Handle<TimeoutException>().WaitAndRetry(2, n => TimeSpan.FromSeconds(Math.Pow(2, n))); // retry: count growing
        var endless = Policy.Handle<TimeoutException>().RetryForeverAsync(); // retry: none none
        services.AddHttpClient("a").AddTransientHttpErrorPolicy(p => p.RetryAsync(3)); // retry: count none
        services.AddHttpClient("b").AddStandardResilienceHandler(); // retry: count jitter
        var pipeline = new ResiliencePipelineBuilder().AddRetry(new RetryStrategyOptions { MaxRetryAttempts = 4, Delay = TimeSpan.FromSeconds(1) }); // retry: count fixed
    }

    // None of these tries the same again.

    async Task Each(HttpClient client, IEnumerable<string> urls)
    {
        foreach (var url in urls)
        {
            try
            {
                await client.GetStringAsync(url);
            }
            catch (HttpRequestException)
            {
                continue;
            }
        }
    }

    async Task Polled(Job job)
    {
        while (job.State != "done")
        {
            await Task.Delay(1000);
            await job.Refresh();
        }
    }
}
