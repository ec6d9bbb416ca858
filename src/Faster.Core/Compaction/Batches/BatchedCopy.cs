using Faster.Compaction.Copying;
using Faster.Log;

namespace Faster.Compaction.Batches;

/// <summary>
/// Copies records in batches, to a tier whose entries are on disk (hot-cold and cold-cold compaction, paper 003 §5.2):
/// a thread gathers where the records of many pages lie, sorts them by the places of their entries, and inserts them in
/// that order, so that one read of the index serves many of them (<see cref="Index.Entries.IEntrySweep"/>).
/// </summary>
/// <remarks>
/// <para>Only a part of the records fits into memory at a time, so the pages are read again for each part. Of two
/// records of a key, the search for the older one finds the newer one, in whatever order they are taken.</para>
/// <para>Memory: <see cref="CopyBatches"/>, which all such runs to a tier share, and a page and the pending operations
/// of each thread.</para>
/// </remarks>
/// <param name="batches">The memory.</param>
/// <param name="stages">The stages before and after a batch.</param>
internal sealed class BatchedCopy(CopyBatches batches, IBatchStages stages) : ICopyMethod
{
    /// <inheritdoc/>
    public void CopyPages(CopyRun run, Func<bool> mustStop, CopyCounters counters)
    {
        bool isLast = false;
        while (!isLast)
        {
            CopyBatch batch = batches.Take();
            try
            {
                isLast = CopyBatch(run, batch, mustStop, counters);
            }
            finally
            {
                batches.Return(batch);
            }
        }
    }

    /// <inheritdoc/>
    public ICopyStage ForStraddling(CopyThread thread) => stages.ForStraddling(thread);

    private unsafe bool CopyBatch(CopyRun run, CopyBatch batch, Func<bool> mustStop, CopyCounters counters)
    {
        using var reads = new PageReads(run.Route.From, batch.Reads, batch.ReadBytes);
        using var thread = new CopyThread(run, mustStop, counters);
        bool isLast = Gather(thread, batch, reads);
        Insert(thread, batch, reads);
        return isLast;
    }

    // True: no page is left. The searches for newer records of some pages wait for the disk together.
    private bool Gather(CopyThread thread, CopyBatch batch, PageReads reads)
    {
        PagedLog log = thread.Route.Log;
        PageFrontier frontier = thread.Run.Frontier;
        ICopyStage first = stages.Gather(thread, batch);
        bool isLast = false;
        do
        {
            long gathered = batch.CopiedBytes;
            int pages = 0;
            for (; pages == 0 || (pages < reads.Count && !IsFull(pages + 1)); pages++) // the records of one page fit
            {
                isLast = !frontier.TryTake(out long start, out long end);
                if (isLast) break;
                reads.Fetch(pages, log.WalkStartOf(start), end);
            }

            for (int page = 0; page < pages; page++) thread.Walk(reads.Fetched(page), first);
            first.Settle();
            first.LookUp(reads[0], all: isLast || IsFull(1));
            frontier.CountCopied(batch.CopiedBytes - gathered); // at most
        }
        while (!isLast && !IsFull(1)); // if it is full, nothing is put off any more
        return isLast;

        bool IsFull(int pages) => batch.IsFull(pages * log.PageSize, first.PutOff);
    }

    private unsafe void Insert(CopyThread thread, CopyBatch batch, PageReads reads)
    {
        const int LookUpEvery = 256;
        ICopyStage last = stages.Insert(thread, batch);
        batch.Sort();
        for (int from = 0, to; from < batch.Count; from = to)
        {
            to = batch.EndOfPart(from);
            int first = from;
            batch.BeginPart(from, to);
            reads.Run(to - from, i => batch.AddressOf(first + i), (i, record) =>
            {
                thread.CheckStop();
                batch.Put(first + i, (byte*)record, thread.Route.From.Layout.RecordSize((byte*)record));
            });
            ReadOnlySpan<long> places = batch.EndPart(from, to);
            thread.BeginCopying();
            batch.Sweep.Run(places, (a, b) => InsertAll(first + a, first + b));
            last.Settle(); // the inserts refer to the batch's bytes
        }

        last.LookUp(reads[0], all: true);

        void InsertAll(int from, int to)
        {
            for (int i = from; i < to; i++)
            {
                if (i % LookUpEvery == 0)
                {
                    thread.CheckStop();
                    last.LookUp(reads[0], all: false);
                }

                byte* record = batch.RecordAt(i, out long address);
                last.Take(thread.RecordAt(record, address), mayPutOff: true);
            }
        }
    }
}
