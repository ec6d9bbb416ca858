namespace Faster.Hosting;

/// <summary>Opens a store of any class.</summary>
internal delegate ValueTask<IStore> OpenStore(
    string? path, EngineOptions options, IProgress<RecoveryProgress> progress, CancellationToken cancellationToken);

/// <summary>A store that an application has added.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">The emitted type.</param>
/// <param name="Defaults">The default options of its engine.</param>
/// <param name="Open">Opens it.</param>
internal sealed record HostEntry(string Name, Type Type, EngineOptions Defaults, OpenStore Open);
