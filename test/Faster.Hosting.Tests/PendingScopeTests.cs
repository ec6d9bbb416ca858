using Faster.LogSessions;
using Microsoft.Extensions.DependencyInjection;

namespace Faster.Hosting.Tests;

/// <summary>Scopes that end while operations of their session wait for the disk.</summary>
public sealed class PendingScopeTests : IDisposable
{
    private const int Loaded = 100_000, Asked = 100;

    private readonly string _folder = Directory.CreateTempSubdirectory("faster-scopes-").FullName;

    public static TheoryData<string> Committing => Scopes.Committing;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory, MemberData(nameof(Committing))]
    public async Task A_scope_ends_when_its_operations_have(string engine)
    {
        await using Scopes scopes = await LargeAsync(engine);
        for (int round = 0; round < 5; round++)
        {
            Task<ReadResult<long>>[] reads = [];
            Task<Status>[] updates = [];
            Words.ISession old = await scopes.RunAsync(session =>
            {
                // Neither is awaited before the scope ends.
                reads = [.. Some(round).Select(i => session.ReadAsync(WordOf(i)).AsTask())];
                updates = [.. Some(round).Select(i => session.RmwAsync(WordOf(i), 1).AsTask())];
                return Task.CompletedTask;
            });
            Assert.Equal(2 * Asked, ((HashSession)old).SerialNumber);
            Assert.Equal(0, ((HashSession)old).PendingCount);
            // Of operations that are pending at once, a read may come before or after the update.
            foreach (ReadResult<long> read in await Task.WhenAll(reads)) Assert.InRange(read.Value, 1, 2);
            foreach (Status status in await Task.WhenAll(updates)) Assert.Equal(Status.Ok, status);
            await scopes.RunAsync(async session =>
            {
                foreach (int i in Some(round)) Assert.Equal(2, (await session.ReadAsync(WordOf(i))).Value);
            });
        }
    }

    [Theory, MemberData(nameof(Committing))]
    public async Task A_scope_that_blocks_at_its_end_ends_when_its_operations_have(string engine)
    {
        await using Scopes scopes = await LargeAsync(engine);
        AsyncServiceScope scope = scopes.Begin(out Words.ISession session);
        int pending = Some(0).Count(i => session.Rmw(WordOf(i), 1) == Status.Pending);
        Assert.NotEqual(0, pending); // or nothing is shown
        scope.Dispose();
        await scopes.RunAsync(async next =>
        {
            Assert.Equal(0, ((HashSession)next).PendingCount);
            foreach (int i in Some(0)) Assert.Equal(2, (await next.ReadAsync(WordOf(i))).Value);
        });
    }

    private static IEnumerable<int> Some(int round) => Enumerable.Range(round * Asked, Asked);

    private static string WordOf(int i) => $"word {i:000000}";

    // The words come first in the log, so that they are on disk.
    private async Task<Scopes> LargeAsync(string engine)
    {
        Scopes scopes = Scopes.Of(engine, settings =>
        {
            settings.Path = _folder;
            settings.MemoryBudget = ByteSize.MiB(4);
        });
        await scopes.RunAsync(session =>
        {
            const int Batch = 1_000;
            for (int start = 0; start < Loaded; start += Batch)
            {
                string[] keys = [.. Enumerable.Range(start, Batch).Select(WordOf)];
                session.Rmw(keys, [.. Enumerable.Repeat(1L, Batch)]);
            }

            return Task.CompletedTask;
        });
        return scopes;
    }
}
