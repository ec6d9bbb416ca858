namespace Faster.Workload.Experiments;

/// <summary>Recovers what a <see cref="CommitStep"/> has left behind, and checks every value.</summary>
internal static class RecoverStep
{
    private const int UpdatedOf = 10;

    /// <summary>
    /// How many of the first keys were updated between the two commits of an incremental step at rest.
    /// </summary>
    public static int UpdatedKeys(StepSettings settings) => settings.Keys / UpdatedOf;

    /// <summary>Runs once.</summary>
    /// <exception cref="WrongAnswerException">A value is not what was committed.</exception>
    public static async Task<RecoveryResult> RunAsync(ICommitEngineSource source, string folder, StepSettings settings)
    {
        ICommitEngine? recovered = null;
        double seconds = await CommitStep.TimeAsync(
            async () => recovered = await source.RecoverAsync(folder, CommitStep.SizeOf(settings)));
        await using ICommitEngine engine = recovered!;
        Check(engine, settings);
        return new RecoveryResult
        {
            Engine = source.Name,
            Workload = settings.Mix.Name,
            Distribution = EnumNames.Of(settings.Distribution),
            Keys = settings.Keys,
            Threads = 0,
            OperationsPerSecond = 0,
            Kind = FormNames.Of(settings.Form),
            CommitThreads = settings.Threads,
            RecoverySeconds = seconds,
        };
    }

    private static void Check(ICommitEngine engine, StepSettings settings)
    {
        if (settings.Threads != 0)
            AnswerCheck.CheckOneOfTwo(engine, settings.Keys);
        else if (settings.Form == CommitForm.Incremental)
            AnswerCheck.CheckFirstUpdated(engine, settings.Keys, UpdatedKeys(settings));
        else
            AnswerCheck.CheckLoaded(engine, settings.Keys);
    }
}
