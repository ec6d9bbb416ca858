using DurableTask.Core;
using Faster.DurableTask.Partitions;
using Faster.DurableTask.Records;
using Faster.DurableTask.Tests.Hubs;

namespace Faster.DurableTask.Tests.Restarts;

/// <summary>
/// Records that can't be read: set aside if it is a message, refused by name if a newer version wrote them.
/// </summary>
public class DamageTests
{
    [Fact]
    public async Task Message_that_cannot_be_read_is_set_aside_and_counted()
    {
        using TestFolder folder = new();
        await FillAsync(folder.Path);
        await WriteAsync(folder.Path, "s/0", [RecordFormat.Current, 9, 9]);
        for (int opening = 0; opening < 2; opening++)
        {
            await using TestHub hub = await TestHub.OpenAsync(folder.Path, Register);
            Assert.Equal(1, hub.Service.Statistics.SetAside);
            Assert.Equal("\"x\"", (await hub.RunAsync("end", $"i{opening}", "x")).Output);
            await hub.UntilIdleAsync();
        }
    }

    [Theory]
    [InlineData("s/0")]
    [InlineData("p")]
    public async Task Record_of_a_newer_version_is_refused_by_name(string key)
    {
        using TestFolder folder = new();
        await FillAsync(folder.Path);
        await WriteAsync(folder.Path, key, [RecordFormat.Current + 1, 0, 0]);
        FasterException refused = await Assert.ThrowsAnyAsync<FasterException>(() =>
            TestHub.OpenAsync(folder.Path, Register));
        Assert.Equal(ErrorReason.RecordFormat, refused.Reason);
        Assert.Contains("newer version", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Step_that_is_not_the_one_of_the_session_is_refused()
    {
        using TestFolder folder = new();
        await FillAsync(folder.Path);
        HeaderRecord header = new(Guid.NewGuid(), 0, 1, 1, Step: 1, 1, 1, DateTime.UtcNow);
        await WriteAsync(folder.Path, HeaderRecord.Key, header.Encode(new RecordWriter()));
        await Assert.ThrowsAsync<DamagedDataException>(() => TestHub.OpenAsync(folder.Path, Register));
    }

    [Fact]
    public async Task Instance_that_cannot_be_read_holds_up_no_other()
    {
        using TestFolder folder = new();
        await using (TestHub hub = await TestHub.OpenAsync(folder.Path, Register))
        {
            await hub.CreateAsync("listen", "broken");
            await hub.UntilAsync("broken", static state => state!.OrchestrationStatus == OrchestrationStatus.Running);
        }

        await WriteAsync(folder.Path, "h/broken/0", [RecordFormat.Current, 200, 1]);
        await using TestHub again = await TestHub.OpenAsync(folder.Path, Register);
        await again.Client.RaiseEventAsync(new OrchestrationInstance { InstanceId = "broken" }, "go", "on");
        Assert.Equal("\"x\"", (await again.RunAsync("end", "other", "x")).Output);
        Assert.Equal(OrchestrationStatus.Running, (await again.StateAsync("broken")).OrchestrationStatus);
    }

    private static async Task FillAsync(string folder)
    {
        await using TestHub hub = await TestHub.OpenAsync(folder, Register);
        await hub.RunAsync("end", "first", "x");
    }

    // By another session: the writing one stays where its steps are.
    private static async Task WriteAsync(string folder, string key, byte[] value)
    {
        await using PartitionStore.Store store = await PartitionStore.OpenAsync(
            Path.Combine(folder, "p0"), TestHub.Options().Store);
        await using PartitionStore.Session session = store.StartSession();
        _ = session.Upsert(key, value);
    }

    private static void Register(TaskHubWorker worker) => worker
        .Orchestration<string, string>("end", static (_, text) => Task.FromResult(text))
        .Orchestration<string, string>("listen", static (_, _) => Mailbox.Current!.NextAsync("go"));
}
