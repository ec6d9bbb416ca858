using System.Net;

namespace WebApi.Tests;

/// <summary>The sample as a user runs it: requests and kills.</summary>
public sealed class WebApiTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("webapi-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Visitors_are_kept_and_clients_are_limited()
    {
        using RunningApi api = await RunningApi.StartAsync(_folder);
        Assert.Equal("Healthy", await api.Http.GetStringAsync("/ready"));
        Assert.Equal("Healthy", await api.Http.GetStringAsync("/live"));
        string visitor = $"/api/visitors/{Guid.NewGuid()}";
        Assert.Equal(HttpStatusCode.NotFound, (await api.Http.GetAsync(visitor)).StatusCode);
        using var text = new StringContent("a basket");
        (await api.Http.PutAsync(visitor, text)).EnsureSuccessStatusCode();
        Assert.Equal("a basket", await api.Http.GetStringAsync(visitor));
        (await api.Http.PostAsync("/api/counters/both/twice", null)).EnsureSuccessStatusCode();
        Assert.Equal("2", await api.Http.GetStringAsync("/api/counters/both"));

        HttpStatusCode[] answers = await Task.WhenAll(Enumerable.Range(0, 1000).Select(async _ =>
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, "/api/counters/x");
            request.Headers.Add("X-Client", "one");
            using HttpResponseMessage answer = await api.Http.SendAsync(request);
            return answer.StatusCode;
        }));
        Assert.Contains(HttpStatusCode.OK, answers);
        Assert.Contains(HttpStatusCode.TooManyRequests, answers);
    }

    [UnixFact("processes get no signals")]
    public async Task A_kill_takes_no_count_that_was_answered_as_durable()
    {
        long durable = 0;
        for (int kill = 0; kill < 3; kill++)
        {
            using RunningApi api = await RunningApi.StartAsync(_folder);
            for (int i = 0; i < 10; i++)
            {
                long count = await api.CountAsync("durable", "?durable=true");
                Assert.True(count > durable, $"{count} after {durable}");
                durable = count;
            }

            await api.SignalAsync("-KILL");
        }

        Assert.Equal(30, durable);
    }

    [UnixFact("processes get no signals")]
    public async Task A_termination_commits_what_was_counted()
    {
        using (RunningApi api = await RunningApi.StartAsync(_folder))
        {
            for (int i = 1; i <= 10; i++) Assert.Equal(i, await api.CountAsync("counted"));
            Assert.Equal(0, await api.SignalAsync("-TERM"));
        }

        using RunningApi again = await RunningApi.StartAsync(_folder);
        Assert.Equal(11, await again.CountAsync("counted"));
    }
}
