using CountStore.Counting;
using CountStore.Input;
using Faster;

namespace CountStore.Commands;

/// <summary>One run's settings, checked.</summary>
internal sealed record CountOptions
{
    /// <summary>The file to count; null for the SDK's documentation.</summary>
    public string? InputPath { get; init; }

    /// <summary>How the file is cut into keys.</summary>
    public InputFormat Format { get; init; } = InputFormat.Words;

    /// <summary>The store's engine; null for the same as before, or <see cref="CountEngine.Faster"/>.</summary>
    public CountEngine? Engine { get; init; }

    /// <summary>The store's memory budget.</summary>
    public ByteSize Memory { get; init; } = DefaultMemory;

    /// <summary>How many threads count; null for as many as before, or <see cref="DefaultThreads"/>.</summary>
    public int? Threads { get; init; }

    /// <summary>How many of the most frequent keys of a kind are shown.</summary>
    public int Top { get; init; } = 10;

    /// <summary>Whether to count again by a plain dictionary and compare.</summary>
    public bool Verify { get; init; }

    /// <summary>Whether to print JSON.</summary>
    public bool Json { get; init; }

    /// <summary>The store's folder, which is committed to; null for a temporary one, removed at the end.</summary>
    public string? DataFolder { get; init; }

    /// <summary>How often the store commits to <see cref="DataFolder"/>.</summary>
    public TimeSpan CommitEvery { get; init; } = DefaultCommitEvery;

    /// <summary>When what the store has acknowledged is durable.</summary>
    public Durability Durability { get; init; }

    /// <summary>Whether to go on from the last commit in <see cref="DataFolder"/>.</summary>
    public bool Resume { get; init; }

    /// <summary>A budget far below the default corpus's keys, and large enough for less than a minute.</summary>
    public static ByteSize DefaultMemory { get; } = ByteSize.MiB(32);

    /// <summary>What a killed run may lose, and has to count again.</summary>
    public static TimeSpan DefaultCommitEvery { get; } = TimeSpan.FromSeconds(1);

    /// <summary>One thread a processor, up to eight.</summary>
    public static int DefaultThreads { get; } = Math.Min(Environment.ProcessorCount, 8);
}
