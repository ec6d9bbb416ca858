using System.Text;
using System.Text.Json;
using CountStore.Counting;

namespace CountStore.Report;

/// <summary>Writes an outcome for machines: one JSON object.</summary>
internal static class JsonReport
{
    /// <summary>The object as text.</summary>
    public static string Write(Outcome outcome)
    {
        using MemoryStream stream = new();
        using (Utf8JsonWriter writer = new(stream, new JsonWriterOptions { Indented = true }))
        {
            writer.WriteStartObject();
            writer.WriteString("input", outcome.InputName);
            writer.WriteString("format", outcome.Format.Name);
            writer.WriteString("engine", outcome.Engine);
            writer.WriteNumber("inputBytes", outcome.InputBytes);
            writer.WriteNumber("keysCounted", outcome.KeysCounted);
            writer.WriteNumber("distinctKeys", outcome.DistinctKeys);
            writer.WriteBoolean("distinctKeysExact", outcome.Verification is not null);
            writer.WriteNumber("seconds", Math.Round(outcome.Elapsed.TotalSeconds, 3));
            writer.WriteNumber("keysPerSecond", Math.Round(outcome.KeysPerSecond));
            writer.WriteNumber("threads", outcome.Threads);
            WriteUse(writer, outcome);
            if (outcome.Durability is { } durability) WriteDurability(writer, durability);
            WriteTops(writer, outcome);
            if (outcome.Verification is { } verification) WriteVerification(writer, verification, outcome);
            writer.WriteEndObject();
        }

        return Encoding.UTF8.GetString(stream.GetBuffer(), 0, (int)stream.Length);
    }

    private static void WriteUse(Utf8JsonWriter writer, Outcome outcome)
    {
        StoreUse use = outcome.Use;
        writer.WriteNumber("memoryBudgetBytes", outcome.Options.Memory.Bytes);
        writer.WriteNumber("indexBytes", use.IndexBytes);
        writer.WriteNumber("logBytesInMemory", use.LogBytesInMemory);
        writer.WriteNumber("logBytesOnDisk", use.LogBytesOnDisk);
        writer.WriteNumber("recordsReadFromDisk", use.RecordsReadFromDisk);
        writer.WriteNumber("bytesReadFromDisk", use.BytesReadFromDisk);
        writer.WriteNumber("bytesWrittenToDisk", use.BytesWrittenToDisk);
    }

    private static void WriteDurability(Utf8JsonWriter writer, CommittedPart durability)
    {
        writer.WriteNumber("commits", durability.Commits);
        writer.WriteNumber("keysResumedFrom", durability.KeysResumedFrom);
        if (durability.Recovery is not { } recovery) return;
        writer.WriteStartObject("recovery");
        writer.WriteNumber("version", recovery.Version);
        writer.WriteNumber("seconds", Math.Round(recovery.Elapsed.TotalSeconds, 4));
        writer.WriteNumber("bytesReplayed", recovery.BytesReplayed);
        writer.WriteEndObject();
    }

    private static void WriteTops(Utf8JsonWriter writer, Outcome outcome)
    {
        writer.WriteStartObject("top");
        foreach (TopList top in outcome.Findings.Tops)
        {
            writer.WriteStartArray(top.Title);
            foreach (CountedKey key in top.Keys)
            {
                writer.WriteStartObject();
                writer.WriteString("key", KeyText.Of(key.Key, outcome.Format));
                writer.WriteNumber("count", key.Count);
                writer.WriteEndObject();
            }

            writer.WriteEndArray();
        }

        writer.WriteEndObject();
    }

    private static void WriteVerification(Utf8JsonWriter writer, Verification verification, Outcome outcome)
    {
        writer.WriteStartObject("verification");
        writer.WriteNumber("keysCompared", verification.Keys);
        writer.WriteNumber("differences", verification.Differences);
        writer.WriteStartArray("examples");
        foreach (KeyDifference difference in verification.Examples)
        {
            writer.WriteStartObject();
            writer.WriteString("key", KeyText.Of(difference.Key, outcome.Format));
            writer.WriteNumber("expected", difference.Expected);
            writer.WriteNumber("counted", difference.Counted);
            writer.WriteEndObject();
        }

        writer.WriteEndArray();
        writer.WriteEndObject();
    }
}
