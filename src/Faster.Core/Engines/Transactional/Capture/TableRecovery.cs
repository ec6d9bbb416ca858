using System.Collections.Concurrent;
using Faster.Analytics.Scans;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Recovery;
using Faster.Contracts;
using Faster.LogCommits;

namespace Faster.Engines.Transactional.Capture;

/// <summary>Restores the records of a committed version: one thread reads the file, others put its records.</summary>
/// <remarks>Runs once, before anything else does.</remarks>
/// <param name="folder">The store's folder.</param>
/// <param name="store">The store, which is empty.</param>
/// <param name="file">The file.</param>
internal sealed class TableRecovery(CommitFolder folder, TransactionalStore store, FileReference file)
{
    private const int MostThreads = 16, SectionsOfThread = 4;

    /// <summary>Restores the records.</summary>
    /// <param name="progress">Receives the progress; or null.</param>
    /// <param name="ct">Ends the recovery.</param>
    /// <returns>The bytes of log that were replayed: none.</returns>
    /// <exception cref="DamagedDataException">The file is damaged.</exception>
    /// <exception cref="StoreOpenException">The records exceed the memory budget.</exception>
    public long Run(IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        int count = Math.Clamp(Environment.ProcessorCount, 1, MostThreads);
        using var idle = new BlockingCollection<RecordCopies>();
        for (int i = 0; i < count * SectionsOfThread; i++)
            idle.Add(new RecordCopies(store.Tier.Schema), CancellationToken.None);
        TransactionalSession[] sessions =
            [.. Enumerable.Range(0, count).Select(_ => store.StartInternal("the recovery"))];
        using var threads = new RecoveryThreads<RecordCopies>(
            count, (number, copies) => Put(sessions[number], copies), copies => idle.Add(copies));
        try
        {
            Read(threads, idle, progress, ct);
            threads.Dispose();
            threads.ThrowIfFailed();
        }
        catch (LimitExceededException e)
        {
            throw new StoreOpenException(
                $"The records in '{folder.Files.Name}' exceed the memory budget of {store.Options.MemoryBudget}: "
                + $"{e.Message} Open the store with a larger MemoryBudget.", e);
        }
        finally
        {
            threads.Dispose();
            foreach (TransactionalSession session in sessions) session.Dispose();
        }

        return 0;
    }

    private void Read(
        RecoveryThreads<RecordCopies> threads, BlockingCollection<RecordCopies> idle,
        IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        using ChecksummedFileReader reader = TableFile.Open(folder, file);
        while (!threads.HasFailed)
        {
            RecordCopies copies = idle.Take(ct);
            if (!TableFile.TryRead(reader, copies)) return;
            threads.Add(copies);
            progress?.Report(new RecoveryProgress(RecoveryStep.ReadingLog, reader.Position, file.Bytes));
        }
    }

    private void Put(TransactionalSession session, RecordCopies copies)
    {
        try
        {
            while (copies.TryTake(out RecordView record)) session.Put(record.Key, record.Value);
        }
        catch (InvalidDataException e)
        {
            throw new DamagedDataException(
                $"'{file.FileName}' in '{folder.Files.Name}' has a section that is not of records. Restore the folder "
                + $"from a copy, or open an older commit with AllowOlderCommit. {e.Message}")
            {
                Path = Path.Combine(folder.Files.Name, file.FileName), Offset = 0,
            };
        }
    }
}
