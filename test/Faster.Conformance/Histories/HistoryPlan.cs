namespace Faster.Conformance.Histories;

/// <summary>One step of a planned history.</summary>
/// <param name="Kind">The kind of operation.</param>
/// <param name="Key">The key's number within the history.</param>
/// <param name="Input">The number of the value or input, distinct in the history.</param>
/// <param name="Form">By which form: 0 status, 1 status completed at once, 2 async, 3 batch.</param>
/// <param name="Pause">How long to spin before the step, in rounds; below 0 to yield the processor.</param>
/// <param name="Fills">Whether to write fillers before the step.</param>
public readonly record struct PlannedStep(OperationKind Kind, int Key, int Input, int Form, int Pause, bool Fills)
{
    /// <summary>The form of a batch.</summary>
    public const int Batch = 3;

    /// <summary>Whether the step belongs to the batch of the step before it, which has other keys.</summary>
    public bool Joins { get; init; }
}

/// <summary>What each session of a history will do, by seed alone.</summary>
/// <remarks>Immutable. No key gets more operations than the checker takes.</remarks>
public sealed class HistoryPlan
{
    private const int MaxOperationsPerKey = 56;

    // Reads, upserts, read-modify-writes and deletes, in percent.
    private static readonly int[][] Mixes =
        [[40, 20, 30, 10], [25, 5, 70, 0], [30, 10, 30, 30], [20, 40, 20, 20], [50, 0, 50, 0]];

    /// <summary>Plans a history.</summary>
    public HistoryPlan(int seed, int sessions)
    {
        var random = new Random(seed);
        Keys = 1 + random.Next(3);
        int[] mix = Mixes[random.Next(Mixes.Length)];
        int perSession = Math.Min(24, MaxOperationsPerKey * Keys / sessions);
        int[] keys = [.. Enumerable.Range(0, sessions * perSession).Select(i => i % Keys)];
        random.Shuffle(keys);
        Steps = [.. Enumerable.Range(0, sessions).Select(session => Enumerable.Range(0, perSession)
            .Select(i => Step(random, mix, keys[(session * perSession) + i], (session * perSession) + i)).ToArray())];
        foreach (PlannedStep[] steps in Steps) JoinBatches(steps);
    }

    /// <summary>How many keys there are.</summary>
    public int Keys { get; }

    /// <summary>Each session's steps.</summary>
    public IReadOnlyList<PlannedStep[]> Steps { get; }

    // A step behind a batch joins it, as an operation of its kind, if it has another key.
    private static void JoinBatches(PlannedStep[] steps)
    {
        var keys = new HashSet<int>();
        for (int i = 0; i < steps.Length; i++)
        {
            bool joins = i > 0 && steps[i - 1].Form == PlannedStep.Batch && !keys.Contains(steps[i].Key);
            if (joins) steps[i] = steps[i] with { Kind = steps[i - 1].Kind, Form = PlannedStep.Batch, Joins = true };
            else keys.Clear();
            keys.Add(steps[i].Key);
        }
    }

    private static PlannedStep Step(Random random, int[] mix, int key, int input)
    {
        int draw = random.Next(100);
        int kind = 0;
        while (draw >= mix[kind]) draw -= mix[kind++];
        int pause = random.Next(10) == 0 ? -1 : random.Next(200);
        return new((OperationKind)kind, key, input, random.Next(PlannedStep.Batch + 1), pause, random.Next(2) == 0);
    }
}
