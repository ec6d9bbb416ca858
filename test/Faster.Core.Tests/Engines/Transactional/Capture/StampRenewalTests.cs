using Faster.Commits;
using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Tables;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Engines.Transactional.Capture;

/// <summary>
/// Stamps repeat after 65,536 versions, which failed commits use up as well: an old stamp is not taken for a new one.
/// </summary>
public sealed class StampRenewalTests : IDisposable
{
    private const int Keys = 100;

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(CommitAlgorithm.Cpr)]
    [InlineData(CommitAlgorithm.Calc)]
    public async Task A_record_whose_stamp_was_given_long_ago_is_in_the_next_commit(CommitAlgorithm algorithm)
    {
        await using (TransactionalStore store = await OpenAsync(algorithm))
        {
            using TransactionalSession session = store.StartSession();
            for (int key = 0; key < Keys; key++) Assert.Equal(Status.Ok, session.Put(key, key));

            // As if that many commits had failed: the stamp of the version after the next commit's is that of the
            // records.
            CommitState commits = store.Core.Commits;
            commits.Publish(new SystemState(CommitPhase.Rest, commits.Current.Version + LockWord.Stamps - 1));
            await store.CommitAsync();
        }

        await using TransactionalStore again = await OpenAsync(algorithm);
        using TransactionalSession reader = again.StartSession();
        for (int key = 0; key < Keys; key++) Assert.Equal(key, reader.Get(key));
    }

    private async Task<TransactionalStore> OpenAsync(CommitAlgorithm algorithm) => await TransactionalStore.OpenAsync(
        _folder.Path,
        new() { MemoryBudget = ByteSize.MiB(2), CommitOnDispose = false, CommitAlgorithm = algorithm },
        TransactionCalls.Schema, default);
}
