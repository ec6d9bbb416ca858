using System.Text.Json;

namespace Faster.DurableTask.Tests.Programs;

/// <summary>A program that an orchestration interprets: an operation, a number, and parts.</summary>
public sealed record Node(string Operation, int Number, IReadOnlyList<Node> Parts)
{
    /// <summary>Makes a random program.</summary>
    /// <param name="random">The random numbers.</param>
    /// <param name="depth">How deep sub-orchestrations may go.</param>
    /// <param name="events">Counts the events that it waits for.</param>
    public static Node Random(Random random, int depth, ref int events)
    {
        List<Node> parts = [];
        for (int length = random.Next(1, 5); length > 0; length--)
        {
            switch (random.Next(depth > 0 ? 9 : 6))
            {
                case 0: parts.Add(new Node("call", random.Next(100), [])); break;
                case 1: parts.Add(new Node("fail", random.Next(100), [])); break;
                case 2: parts.Add(new Node("fan", random.Next(1, 8), [])); break;
                case 3: parts.Add(new Node("timer", random.Next(4), [])); break;
                case 4: parts.Add(new Node("status", random.Next(100), [])); break;
                case 5 when depth == 2: parts.Add(new Node("wait", events++, [])); break;
                case 5: parts.Add(new Node("tell", random.Next(100), [])); break;
                case 6: parts.Add(new Node("again", random.Next(1, 4), [new Node("call", random.Next(9), [])])); break;
                default:
                    int none = 0;
                    Node inner = Random(random, depth - 1, ref none);
                    parts.Add(new Node(random.Next(5) == 0 ? "lost" : "sub", random.Next(100), [inner]));
                    break;
            }
        }

        return new Node("all", 0, parts);
    }

    public override string ToString() => JsonSerializer.Serialize(this);

    public static Node Parse(string text) => JsonSerializer.Deserialize<Node>(text)!;
}
