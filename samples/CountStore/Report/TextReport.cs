using System.Globalization;
using CountStore.Counting;
using Faster;

namespace CountStore.Report;

/// <summary>Writes an outcome for people. Its last line sums the run up.</summary>
internal static class TextReport
{
    /// <summary>Writes all but the last line.</summary>
    public static void Write(Outcome outcome, TextWriter writer)
    {
        foreach (TopList top in outcome.Findings.Tops)
        {
            if (top.Keys.Count == 0) continue;
            writer.WriteLine($"Most frequent {top.Title}:");
            foreach (CountedKey key in top.Keys)
                writer.WriteLine(Invariant($"{key.Count,14:N0}  {KeyText.Of(key.Key, outcome.Format)}"));
            writer.WriteLine();
        }

        StoreUse use = outcome.Use;
        string threads = outcome.Threads == 1 ? "1 thread" : $"{outcome.Threads} threads";
        writer.WriteLine($"Input:       {outcome.InputName} ({new ByteSize(outcome.InputBytes)})");
        writer.WriteLine($"Engine:      {outcome.Engine}");
        writer.WriteLine(Invariant($"Throughput:  {outcome.KeysPerSecond:N0} keys and ")
            + $"{new ByteSize((long)outcome.BytesPerSecond)} a second on {threads}");
        writer.WriteLine(
            $"In memory:   {new ByteSize(use.IndexBytes)} of index and {new ByteSize(use.LogBytesInMemory)} "
            + $"of log, within a budget of {outcome.Options.Memory}");
        writer.WriteLine($"On disk:     {new ByteSize(use.LogBytesOnDisk)} of log, "
            + $"{new ByteSize(use.BytesWrittenToDisk)} written");
        writer.WriteLine(Invariant($"Read back:   {use.RecordsReadFromDisk:N0} records, ")
            + $"{new ByteSize(use.BytesReadFromDisk)}");
        if (outcome.Durability is { } durability) WriteDurability(durability, writer);
        foreach (KeyDifference difference in outcome.Verification?.Examples ?? [])
        {
            writer.WriteLine(Invariant($"Different:   '{KeyText.Of(difference.Key, outcome.Format)}' was counted ")
                + Invariant($"{difference.Counted:N0} times by the store, ")
                + Invariant($"{difference.Expected:N0} times by the dictionary"));
        }

        writer.WriteLine();
    }

    /// <summary>The line that sums the run up.</summary>
    public static string Summary(Outcome outcome)
    {
        StoreUse use = outcome.Use;
        string about = outcome.Verification is null ? "about " : "";
        string verified = outcome.Verification switch
        {
            null => "",
            { Differences: 0 } => "; verified: every key agrees with a plain dictionary",
            { } verification => Invariant($"; VERIFICATION FAILED: {verification.Differences:N0} differences"),
        };
        return Invariant($"Counted {outcome.KeysCounted:N0} occurrences of {about}{outcome.DistinctKeys:N0} keys ")
            + Invariant($"in {outcome.Elapsed.TotalSeconds:0.0} s; ")
            + $"{new ByteSize(use.IndexBytes + use.LogBytesInMemory)} in memory, "
            + $"{new ByteSize(use.LogBytesOnDisk)} on disk"
            + Invariant($", {use.RecordsReadFromDisk:N0} records read back{verified}.");
    }

    private static void WriteDurability(CommittedPart durability, TextWriter writer)
    {
        writer.WriteLine(Invariant($"Committed:   {durability.Commits:N0} times"));
        if (durability.Recovery is not { } recovery) return;
        writer.WriteLine(Invariant($"Resumed:     after {durability.KeysResumedFrom:N0} keys, from commit ")
            + Invariant($"{recovery.Version:N0}, recovered in {recovery.Elapsed.TotalSeconds:0.000} s ")
            + $"({new ByteSize(recovery.BytesReplayed)} of log replayed)");
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
