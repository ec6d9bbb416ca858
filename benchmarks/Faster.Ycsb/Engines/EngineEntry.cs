using Faster.Workload.Experiments;

namespace Faster.Ycsb.Engines;

/// <summary>An engine that the driver can run.</summary>
/// <param name="Name">Its name on command lines and in results.</param>
/// <param name="Program">The assembly of the program that runs its steps.</param>
/// <param name="Forms">How its stores can commit.</param>
/// <param name="TellsClients">Whether its sessions are told what is durable.</param>
internal sealed record EngineEntry(
    string Name, string Program, IReadOnlyCollection<CommitForm> Forms, bool TellsClients);
