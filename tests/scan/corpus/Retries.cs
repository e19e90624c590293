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
