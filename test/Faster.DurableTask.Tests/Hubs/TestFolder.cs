namespace Faster.DurableTask.Tests.Hubs;

/// <summary>A folder for hubs, which is deleted in the end.</summary>
internal sealed class TestFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("faster-durable-").FullName;

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
