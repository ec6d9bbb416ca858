using DurableTask.Core;
using Faster.DurableTask.Tests.Hubs;
using Microsoft.DurableTask.Testing.Sidecar;

namespace Faster.DurableTask.Tests.Programs;

/// <summary>
/// Random programs have the same outcome on a hub as on the in-memory service of DurableTask's test host.
/// </summary>
public class DifferentialTests
{
    private const int Programs = 40;

    [Theory]
    [InlineData(1, false, true)]
    [InlineData(3, false, true)]
    [InlineData(4, true, true)]
    [InlineData(2, true, false)]
    public Task Programs_end_as_in_memory(int partitions, bool isDurable, bool keepsExecutions) =>
        TestSeed.RunAsync(2, async seed =>
        {
            using TestFolder folder = new();
            await using TestHub hub = await TestHub.OpenAsync(
                isDurable ? folder.Path : null, Interpreter.Register,
                TestHub.Options(partitions) with { ExtendedSessions = keepsExecutions, CachedInstances = seed % 3 });
            string[] here = await RunAllAsync(hub.Service, seed);
            InMemoryOrchestrationService memory = new();
            using TaskHubWorker worker = new(memory) { ErrorPropagationMode = ErrorPropagationMode.UseFailureDetails };
            Interpreter.Register(worker);
            await worker.StartAsync();
            string[] there = await RunAllAsync(memory, seed);
            await worker.StopAsync(isForced: true);
            Assert.All(there.Zip(here), static both => Assert.Equal(both.First, both.Second));
            await hub.UntilIdleAsync();
        });

    private static async Task<string[]> RunAllAsync(IOrchestrationServiceClient service, int seed)
    {
        TaskHubClient client = new(service);
        return await Task.WhenAll(Enumerable.Range(0, Programs)
            .Select(number => RunOneAsync(client, number, new Random((seed * Programs) + number))));
    }

    // What the client does does not depend on when it does it: so both services have one right outcome.
    private static async Task<string> RunOneAsync(TaskHubClient client, int number, Random random)
    {
        string id = $"p{number}";
        int events = 0;
        Node program = Node.Random(random, 2, ref events);
        bool isTerminated = random.Next(6) == 0, isSuspended = random.Next(4) == 0;
        if (isTerminated) program = program with { Parts = [.. program.Parts, new Node("wait", -1, [])] };
        Dictionary<string, string> tags = new() { ["number"] = id };
        OrchestrationInstance one =
            await client.CreateOrchestrationInstanceAsync("run", "", id, program.ToString(), tags);
        OrchestrationInstance any = new() { InstanceId = id };
        if (isSuspended) await client.SuspendInstanceAsync(any, "pause");
        int[] order = [.. Enumerable.Range(0, events)];
        random.Shuffle(order);
        foreach (int which in order) await client.RaiseEventAsync(any, $"e{which}", $"value {which}");
        if (isTerminated) await client.TerminateInstanceAsync(any, "enough");
        else if (isSuspended) await client.ResumeInstanceAsync(any, "go on");
        OrchestrationState end = await client.WaitForOrchestrationAsync(one, TestHub.Limit);
        string outcome = $"{program} {end.Name} {end.OrchestrationStatus} {end.Output} {end.FailureDetails?.ErrorType} "
            + $"{string.Join(',', end.Tags ?? new Dictionary<string, string>())} {end.Input?.Length}";
        // The parts of a terminated program still run: what they make of an id in use again depends on the time.
        return isTerminated ? outcome : outcome + await RecreateAsync(client, id, random);
    }

    private static async Task<string> RecreateAsync(TaskHubClient client, string id, Random random)
    {
        var purging = (IOrchestrationServicePurgeClient)client.ServiceClient;
        int purged = random.Next(2) == 0 ? (await purging.PurgeInstanceStateAsync(id)).DeletedInstanceCount : -1;
        string state = purged == 1 && await client.GetOrchestrationStateAsync(id) is null ? "gone" : "there";
        OrchestrationInstance again = await client.CreateOrchestrationInstanceAsync(
            "again", "", id, "2 ", null, [OrchestrationStatus.Running, OrchestrationStatus.Pending]);
        OrchestrationState end = await client.WaitForOrchestrationAsync(again, TestHub.Limit);
        return $" {purged} {state} {end.Name} {end.OrchestrationStatus} {end.Output}";
    }
}
