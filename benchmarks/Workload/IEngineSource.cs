namespace Faster.Workload;

/// <summary>Where the stores of one engine come from.</summary>
internal interface IEngineSource
{
    /// <summary>The engine's name, on command lines and in results.</summary>
    string Name { get; }

    /// <summary>
    /// Why the engine can't run such stores here, in words that follow its name and a colon; null if it can.
    /// </summary>
    string? Refuses(EngineShape shape) => null;

    /// <summary>Opens an empty store.</summary>
    /// <param name="folder">An empty folder, for what does not stay in memory.</param>
    /// <param name="shape">What it must hold.</param>
    Task<IEngine> OpenAsync(string folder, EngineShape shape);
}
