using DurableTask.Core;
using DurableTask.Core.Entities;
using DurableTask.Core.Exceptions;
using Faster.DurableTask.Tests.Hubs;
using Microsoft.DurableTask;
using Microsoft.DurableTask.Entities;

namespace Faster.DurableTask.Tests.Entities;

/// <summary>Transfers between accounts that are locked, over all partitions.</summary>
internal static class Bank
{
    public const int Accounts = 6;

    /// <summary>The programs: a transfer locks both accounts, in whichever order they are named.</summary>
    public static Shims Programs() => new Shims().Entity<Account>("account")
        .Orchestration<int[], string>("transfer", static async (context, what) =>
        {
            EntityInstanceId from = IdOf(what[0]), to = IdOf(what[1]);
            await using (await context.Entities.LockEntitiesAsync(from, to))
            {
                long before = await context.Entities.CallEntityAsync<long>(from, "get");
                await context.Entities.CallEntityAsync(from, "add", -what[2]);
                await context.Entities.CallEntityAsync(to, "add", what[2]);
                long after = await context.Entities.CallEntityAsync<long>(from, "get");
                return after == before - what[2] ? "exact" : "disturbed";
            }
        })
        .Orchestration<int[], string>("hold", static async (context, which) =>
        {
            await using (await context.Entities.LockEntitiesAsync([.. which.Select(IdOf)]))
            {
                context.SetCustomStatus("holds");
                return await context.WaitForExternalEvent<string>("go");
            }
        });

    /// <summary>The input of a transfer of a number.</summary>
    public static int[] Transfer(int number)
    {
        int from = number % Accounts, to = (from + 1 + (number / Accounts % (Accounts - 1))) % Accounts;
        return [from, to, 1 + (number % 90)];
    }

    /// <summary>What the accounts have after a number of transfers.</summary>
    public static long[] Expected(int transfers)
    {
        long[] sums = new long[Accounts];
        for (int number = 0; number < transfers; number++)
        {
            int[] what = Transfer(number);
            sums[what[0]] -= what[2];
            sums[what[1]] += what[2];
        }

        return sums;
    }

    /// <summary>What the accounts have.</summary>
    public static async Task<long[]> BalancesAsync(FasterOrchestrationService service)
    {
        long[] sums = new long[Accounts];
        for (int account = 0; account < Accounts; account++)
        {
            var found = await service.EntityBackendQueries.GetEntityAsync(
                new EntityId("account", $"{account}"), includeState: true);
            sums[account] = found is { SerializedState: { } state } ? long.Parse(state, null) : 0;
        }

        return sums;
    }

    /// <summary>Creates the transfers, unless they are known, and waits for all; tells of each.</summary>
    public static Task RunAsync(FasterOrchestrationService service, int transfers, int width, Action<string> tell)
    {
        TaskHubClient client = new(service);
        OrchestrationStatus[] all = [OrchestrationStatus.Pending, OrchestrationStatus.Running,
            OrchestrationStatus.Completed, OrchestrationStatus.Failed, OrchestrationStatus.Terminated];
        return Parallel.ForEachAsync(
            Enumerable.Range(0, transfers), new ParallelOptions { MaxDegreeOfParallelism = width },
            async (number, token) =>
            {
                string id = $"t{number}", known = "created";
                try
                {
                    await client.CreateOrchestrationInstanceAsync("transfer", "", id, Transfer(number), null, all);
                }
                catch (OrchestrationAlreadyExistsException)
                {
                    known = "known";
                }

                tell($"{known} {id}");
                OrchestrationState end = await client.WaitForOrchestrationAsync(
                    new OrchestrationInstance { InstanceId = id }, TestHub.Limit, token);
                tell($"{(end.Output == "\"exact\"" ? "done" : end.Output)} {id}");
            });
    }

    private static EntityInstanceId IdOf(int account) => new("account", $"{account}");
}
